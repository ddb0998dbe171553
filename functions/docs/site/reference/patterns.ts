import * as z from 'zod';
import { NOT_BLANK } from '../../../../shared/words.ts';

/** Patterns of the document in the words of a reader, who should not have to read a regular expression. */

const WORDS: Readonly<Record<string, string>> = {
  [NOT_BLANK]: 'not blank',
  '\\S': 'not blank',
  '^[a-z][a-z0-9_-]*$': 'small letters, digits, <code>_</code> and <code>-</code>, a letter first',
  '^[a-z0-9][a-z0-9-]*$': 'small letters, digits and <code>-</code>, no <code>-</code> first',
  '^[A-Za-z0-9][A-Za-z0-9._-]*$':
    'letters, digits, <code>.</code>, <code>_</code> and <code>-</code>, a letter or digit first',
  '^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9._])?$':
    'letters, digits, <code>.</code>, <code>_</code> and <code>-</code>, which is neither first nor last',
  '^[a-z][a-z-]*:[a-z][a-z-]*$': 'a permission, such as <code>clients:read</code>',
  '^-?[a-z_]{1,40}(,-?[a-z_]{1,40})?$': 'one or two fields, as <code>-created_at,name</code>',
  '^[a-z][a-z_]*\\.[a-z]+$': 'a type of event, such as <code>ticket.created</code>',
  '^[\\w-]+(\\.[\\w-]+)+$': 'words with dots between them, as <code>invoice.paid</code>',
  '^[a-z_]+\\.[a-z]+(?:,[a-z_]+\\.[a-z]+)*$': 'types of events, with commas between them',
  '^(null|-?\\d{1,16}(\\.\\d{1,12})?)$': 'a number, or <code>null</code>',
  '^(null|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$': 'a UUID, or <code>null</code>',
  '[0-9]|^null$': 'with a digit, or <code>null</code>',
  '^[0-9a-f]*$': 'hexadecimal digits',
  '^[\\da-f]{64}$': '64 hexadecimal digits',
  '^[a-z0-9-]{1,63}(\\.[a-z0-9-]{1,63})+$': 'a domain, such as <code>acme.example</code>',
  '^[\\x21-\\x7e]{1,255}$': 'ASCII characters without spaces',
  '^[\\x21-\\x7e]+$': 'ASCII characters without spaces',
  '^[\\x20-\\x7e]*$': 'ASCII characters',
  '^\\d{15}-[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}$': 'as <code>next</code> of a response',
  '^(?:[\\w-]{32}|latest)$': '<code>next</code> of a response, or <code>latest</code>',
};

/** How patterns begin that are too long to be keys. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  '^\\d{4}-': 'a time, as <code>2026-11-20T09:30:00Z</code>',
  '^(?:(?:Africa|': 'a zone of the IANA database, as <code>Europe/Lisbon</code>',
  '^(?:(?:25[0-5]|': 'an address of IPv4 or IPv6',
  '^(\\*|((W/)?"': 'entity tags with commas between them, or <code>*</code>',
  '^[A-Za-z0-9][\\w!#$&^.+-]{0,126}\\/': 'a media type, as <code>image/png</code>',
};

/** HTML. Empty for a UUID, whose type says it. @throws TypeError for a pattern that has no words here */
export function patternInWords(pattern: string): string[] {
  if (pattern === z.regexes.guid.source) return [];
  const beginning = Object.keys(BEGINNINGS).find((each) => pattern.startsWith(each));
  const words = WORDS[pattern] ?? BEGINNINGS[beginning ?? ''];
  if (words === undefined) throw new TypeError(`patterns.ts has no words for ${pattern}`);
  return [words];
}
