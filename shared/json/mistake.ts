/** Where a text stops being JSON. `JSON.parse` has no place for some mistakes, and quotes the text around them. */

export interface JsonMistake {
  /** From 1. A line ends with a line feed. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
  /** What is there: one character in backquotes, or a name for it. No more, because a text may contain secrets. */
  readonly found: string;
  /** What JSON has there, in words. */
  readonly expected: string;
}

/** The first mistake in a text (RFC 8259), found in one pass; undefined where it is JSON. */
export function mistakeIn(text: string): JsonMistake | undefined {
  const open: Token[] = [];
  let state: State = 'value';
  let at = afterSpace(text, 0);
  while (at < text.length) {
    const token = tokenAt(text, at);
    const next: Next | undefined = token && GRAMMAR[state].next[token];
    if (next === undefined) return mistakeAt(text, at, GRAMMAR[state].expected);
    const end = endOfToken(token, text, at);
    if (typeof end !== 'number') return end;
    state = stateAfter(token, next, open);
    at = afterSpace(text, end);
  }
  return state === 'end' ? undefined : mistakeAt(text, at, GRAMMAR[state].expected);
}

/** Signs, the beginning of a string, and `1` for a number, `true`, `false` and `null`. */
type Token = '{' | '}' | '[' | ']' | ',' | ':' | '"' | '1';
type State = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma in {' | 'comma in [' | 'end';
type Next = State | 'after a value';

const VALUE = { '{': 'first name', '[': 'first value', '"': 'after a value', '1': 'after a value' } as const;

const GRAMMAR: Readonly<
  Record<State, { readonly expected: string; readonly next: { readonly [token in Token]?: Next } }>
> = {
  value: { expected: 'a value', next: VALUE },
  'first value': { expected: 'a value or `]`', next: { ...VALUE, ']': 'after a value' } },
  name: { expected: 'a name in double quotes', next: { '"': 'colon' } },
  'first name': { expected: 'a name in double quotes or `}`', next: { '"': 'colon', '}': 'after a value' } },
  colon: { expected: '`:`', next: { ':': 'value' } },
  'comma in {': { expected: '`,` or `}`', next: { ',': 'name', '}': 'after a value' } },
  'comma in [': { expected: '`,` or `]`', next: { ',': 'value', ']': 'after a value' } },
  end: { expected: 'the end of the text', next: {} },
};

/** @param open the brackets around the token, which this changes */
function stateAfter(token: Token | undefined, next: Next, open: Token[]): State {
  if (token === '{' || token === '[') open.push(token);
  if (token === '}' || token === ']') open.pop();
  if (next !== 'after a value') return next;
  const around = open.at(-1);
  if (around === undefined) return 'end';
  return around === '{' ? 'comma in {' : 'comma in [';
}

const WHITE_SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The end of what a sticky expression matches at `start`, which is `start` where it matches nothing. */
function endOf(sticky: RegExp, text: string, start: number): number {
  sticky.lastIndex = start;
  return sticky.test(text) ? sticky.lastIndex : start;
}

const afterSpace = (text: string, at: number): number => (text.charAt(at) > ' ' ? at : endOf(WHITE_SPACE, text, at));

function tokenAt(text: string, at: number): Token | undefined {
  const character = text.charAt(at);
  if ('{}[],:"'.includes(character)) return character as Token;
  return endOf(SCALAR, text, at) > at ? '1' : undefined;
}

function endOfToken(token: Token | undefined, text: string, start: number): number | JsonMistake {
  if (token === '"') return endOfString(text, start);
  return token === '1' ? endOf(SCALAR, text, start) : start + 1;
}

/** The index after the string that begins at `start`, or its mistake. */
function endOfString(text: string, start: number): number | JsonMistake {
  let at = start + 1;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character < ' ') return mistakeAt(text, at, 'its escape sequence');
    const end = character === '\\' ? endOf(ESCAPE, text, at) : at + 1;
    if (end === at) return mistakeAt(text, at + 1, 'an escape sequence such as `\\n` or `\\u00e9`');
    at = end;
  }
  return mistakeAt(text, at, 'a closing quotation mark');
}

function mistakeAt(text: string, at: number, expected: string): JsonMistake {
  const before = text.slice(0, at);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return {
    line: before.split('\n').length,
    // A character beyond U+FFFF is two code units.
    column: line.replace(/[\uDC00-\uDFFF]/g, '').length + 1,
    found: at < text.length ? nameOf(text.codePointAt(at) as number) : 'the end of the text',
    expected,
  };
}

const NAMES: Readonly<Record<number, string>> = { 9: 'a tab', 10: 'a line break', 13: 'a line break', 32: 'a space' };

/** Only visible characters of ASCII are shown: others may look like something else, or like nothing. */
const nameOf = (character: number): string =>
  NAMES[character] ??
  (character > 0x20 && character < 0x7f
    ? `\`${String.fromCodePoint(character)}\``
    : `U+${character.toString(16).toUpperCase().padStart(4, '0')}`);
