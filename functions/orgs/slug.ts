import { folded } from '../../shared/words.ts';

const MAX_LENGTH = 100;

/** Makes a slug of a name: `São José & Filhos` → `sao-jose-filhos`; without Latin letters or digits `organization`. */
export function slugOf(name: string): string {
  const words = folded(name).match(/[a-z0-9]+/g);
  return words === null ? 'organization' : words.join('-').slice(0, MAX_LENGTH).replace(/-$/, '');
}

const DIGITS_OF_ID = 8;

/**
 * A slug of its own for an organization: `acme-billing-6f1c1f0e`, of the app code, which is unique, and the first
 * digits of the organization's id. Nothing is looked up, so it does not tell which organizations there are, and another
 * one may be given the same.
 */
export const ownSlugOf = (appCode: string, id: string): string =>
  `${slugOf(appCode.slice(0, MAX_LENGTH - DIGITS_OF_ID - 1))}-${id.slice(0, DIGITS_OF_ID).toLowerCase()}`;
