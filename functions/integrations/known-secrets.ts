import { createHash } from 'node:crypto';

/** Texts that add no strength to a secret: common words in secrets of services, and published examples. */

/** Common in secrets that people make up: words of software, placeholders, famous phrases. */
const WORDS = `
  a access account acme adipiscing admin administrator alpha amazon amet an and any api apikey apis app application apps
  are as at auth authentication authorization azure backend backup base basic battery be bearer beta billing bit bits
  bot brown by callback certificate change changed changeit changeme channel chars checkout client clients cloud code
  config configuration connect connection consectetur console consumer correct count create credential credentials
  customer customers dashboard data database deadbeef debug default demo deploy deployment dev development device devops
  digest do docker docs document dog dolor domain dummy eight eleven elit email enter entropy env environment event
  events example examples external feedface file fill first five fixme flow foobar for four fox from frontend future
  gateway generate generated github gitlab google group has hash have hello hmac hook horse host http https i id
  identity if in inbound insecure insert integration integrations internal invoice io ipsum is issue issuer it its job
  json jumps jwt keep key keys lambda last lazy lib live local localhost login logs long lorem main manager market
  master me message metrics mobile mock monitor monitoring must my mysecret name network never new nine no not
  notification number oauth of office on one online only open or order orders org organization our outbound over owner
  partner pass passphrase passwd password passwords payment payments permanent phrase platform please portal private
  prod product production products project provider proxy public push put quality quick random read real refresh
  register release remember remote replace replaced report request reset resource rest right role root rotate safe
  sample sandbox save secret secrets secure security send server service services session set setting settings seven
  shared shop sign signature signing site six so some someone something special staging staple start stored string
  strong subscription super support sync system tbd team temp temporary ten tenant terminal test tester testing tests
  text that the them then there these this three ticket tickets to todo token tokens top twelve two unique unsafe update
  us use user username users v value values var verify version very we webhook webhooks website welcome with word words
  work world write xxx yes you your yours`
  .trim()
  .split(/\s+/);

/** Shorter words count only where they stand alone: inside other text they occur by chance. */
const LONG = 5;

/** Examples from documentation, and constants. A piece of one adds no strength. */
const PUBLISHED = [
  'AKIAIOSFODNN7EXAMPLE',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY',
  'a-string-secret-at-least-256-bits-long',
  'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'kjHNJ3bdyZfBfFk5DUuC7S9Xpn3ZJFCL',
  '3.14159265358979323846264338327950288419716939937510582097494459230781640628620899',
  '2.71828182845904523536028747135266249775724709369995957496696762772407663035354759',
  '1.41421356237309504880168872420969807856967187537694807317667973799073247846210703',
  '1.61803398874989484820458683436563811772030917980576286213544862270526046281890244',
  '0123456789abcdef0123456789abcdef',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  'zaq12wsxcde34rfvbgt56yhnmju78ik,.lo90p;/',
  'qazwsxedcrfvtgbyhnujmikolp',
  '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
];

/** Shortest piece of a published text that is recognized, in characters. */
const PIECE = 8;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

const piecesOf = (text: string): string[] =>
  Array.from({ length: text.length - PIECE + 1 }, (_, start) => text.slice(start, start + PIECE));

/** The longest first, so that no part of `passwords` remains. */
const anyOf = (texts: readonly string[]): string =>
  [...new Set(texts.map((text) => text.toLowerCase()))]
    .sort((one, other) => other.length - one.length)
    .map(escaped)
    .join('|');

const PIECES = new RegExp(anyOf(PUBLISHED.flatMap(piecesOf)), 'gi');
const SHORT = new RegExp(`(?<![a-z])(?:${anyOf(WORDS.filter((word) => word.length < LONG))})(?![a-z])`, 'gi');

/** The rest of a secret without published texts, common words and the given words. */
export function withoutKnown(secret: string, words: readonly string[]): string {
  const own = words.filter((word) => word.length > 2);
  const known = new RegExp(anyOf([...own, ...WORDS.filter((word) => word.length >= LONG)]), 'gi');
  return secret
    .replace(PIECES, '')
    .replace(known, '')
    .replace(/[a-z](?=[A-Z])/g, '$& ')
    .replace(SHORT, '');
}

const ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'];
const ENCODINGS = ['hex', 'base64', 'base64url'] as const;

/** Whether a text is the digest of the empty text or of a known word, or a prefix of such a digest. */
export const isKnownDigest = (secret: string, words: readonly string[]): boolean =>
  ['', ...words, ...WORDS].some((word) =>
    ALGORITHMS.some((algorithm) => {
      const digest = createHash(algorithm).update(word).digest();
      return ENCODINGS.some((encoding) => digest.toString(encoding).toLowerCase().startsWith(secret.toLowerCase()));
    }),
  );
