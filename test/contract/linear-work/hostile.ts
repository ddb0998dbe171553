/** Texts and other values that some pattern, search or loop might take long over. */

export type Make<Value = unknown> = (size: number) => Value;

export const filled = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);

export const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  'one letter': (size) => filled('a', size),
  'one letter and another': (size) => `${filled('a', size - 1)}b`,
  'two letters in turn': (size) => `${filled('ab', size - 1)}!`,
  'a half twice': (size) => `${filled('abcdefghij', size / 2)}x${filled('abcdefghij', size / 2)}`,
  digits: (size) => `${filled('1234567890', size - 1)}x`,
  spaces: (size) => `x${filled(' ', size - 2)}x`,
  tabs: (size) => `${filled('\t \n', size - 1)}x`,
  dots: (size) => filled('.', size),
  commas: (size) => filled(',', size),
  slashes: (size) => `http:${filled('/', size)}`,
  'words and dots': (size) => `${filled('a.', size - 1)}!`,
  'one word and dots': (size) => `${filled('a', size / 2)}.${filled('a', size / 2)}!`,
  dashes: (size) => `${filled('a-', size - 1)}!`,
  brackets: (size) => filled('[', size),
  quotation: (size) => filled('"', size),
  'combining marks': (size) => filled('e\u0301\u0323', size),
  'pairs of surrogates': (size) => filled('😀', size),
  'half pairs': (size) => filled('\ud800', size),
  'nearly an email': (size) => `${filled('a.', size / 2)}a@${filled('a.', size / 2)}`,
  'an email without an end': (size) => `a@${filled('a-', size)}`,
  'nearly a URL': (size) => `https://${filled('a.', size / 2)}/${filled('%2e/../', size / 2)}`,
  'nearly a UUID': (size) => filled('00000000-0000-4000-8000-00000000000', size),
  'nearly a time': (size) => `2026-11-20T09:30:00.${filled('0', size)}Z+`,
  'nearly an entity tag': (size) => `"1.a${filled('a', size)}", `,
  'entity tags': (size) => filled('"1.a",', size),
  'nearly a token': (size) => `Bearer ${filled('a.', size)}`,
  'nearly a permission': (size) => `a${filled('-a', size)}:`,
  'nearly an address': (size) => `${filled('0:', size)}::1`,
  'nearly a time zone': (size) => filled('Europe/', size),
};

/** What is no text, in a body. */
export const SHAPES: Readonly<Record<string, (size: number) => unknown>> = {
  'many numbers': (size) => Array.from({ length: size / 2 }, () => 1),
  'many texts': (size) => Array.from({ length: size / 6 }, () => 'abc'),
  'many texts, each another': (size) => Array.from({ length: size / 9 }, (_, index) => String(index).padStart(6, 'a')),
  'many lists': (size) => Array.from({ length: size / 3 }, () => []),
  'many objects': (size) => Array.from({ length: size / 8 }, () => ({ a: 1 })),
  'many fields': (size) => Object.fromEntries(Array.from({ length: size / 10 }, (_, index) => [`k${index}`, 1])),
  'deep lists': (size) => filledWith(size, (inner) => [inner]),
  'deep objects': (size) => filledWith(size, (inner) => ({ a: inner })),
};

/** As deep as a body may be, over and over. */
function filledWith(size: number, around: (inner: unknown) => unknown): unknown {
  let deep: unknown = 1;
  for (let level = 0; level < 250; level++) deep = around(deep);
  const { length } = JSON.stringify(deep);
  return Array.from({ length: Math.ceil(size / length) }, () => deep);
}
