const MAX_LENGTH = 100;

/** A slug made from a name: `São José & Filhos` becomes `sao-jose-filhos`. A name without Latin letters or digits becomes `organization`. */
export function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return words === null ? 'organization' : words.join('-').slice(0, MAX_LENGTH).replace(/-$/, '');
}
