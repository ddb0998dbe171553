/** Generated places in a page: the text between `<!-- name -->` and `<!-- /name -->`. */

/** The page with this text at a place. @throws Error when it has no such place */
export function withText(page: string, name: string, text: string): string {
  textAt(page, name);
  return page.replace(placeOf(name), (_, before: string, _old: string, after: string) => `${before}${text}${after}`);
}

/** The text at a place. @throws Error when the page has no such place */
export function textAt(page: string, name: string): string {
  const [, , text] = placeOf(name).exec(page) ?? [];
  if (text === undefined) throw new Error(`the page has no place marked ${name}`);
  return text;
}

const placeOf = (name: string): RegExp => new RegExp(`(<!-- ${name} -->\n\n)([\\s\\S]*?)(\n\n<!-- /${name} -->)`);
