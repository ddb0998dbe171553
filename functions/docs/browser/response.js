// @ts-check

/** Reads responses and shows them, as text and never as HTML. */

/** @typedef {{ text: string, bytes: number, isWhole: boolean }} Received */

/** Most characters of a response that are shown: more would take long to lay out. */
const MOST_SHOWN = 100_000;
/** Most bytes that are read; the API's responses have at most 6 MB. */
const MOST_READ = 10_000_000;

/** The headers that a caller acts on. */
const SHOWN_HEADERS = [
  'Content-Type',
  'Location',
  'Link',
  'ETag',
  'Idempotent-Replayed',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'Allow',
  'X-Request-Id',
];

/**
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {Partial<HTMLElementTagNameMap[N]>} [properties]
 * @param {(Node | string)[]} children
 */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/**
 * Reads a response as far as it is shown, and measures the rest.
 * @param {Response} response
 * @returns {Promise<Received>}
 */
export async function read(response) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (value === undefined || done) return { text, bytes, isWhole: text.length <= MOST_SHOWN };
    bytes += value.length;
    if (text.length <= MOST_SHOWN) text += decoder.decode(value, { stream: true });
    if (bytes > MOST_READ) {
      await reader?.cancel();
      return { text, bytes, isWhole: false };
    }
  }
}

/** @param {Response} response @param {Received} received @returns {HTMLElement[]} */
export function shown(response, { text, isWhole }) {
  const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
  const start = text.slice(0, MOST_SHOWN);
  const [, cause] = /"type":"(urn:problem-type:custodia:[a-z-]{1,60})"/.exec(response.ok ? '' : start) ?? [];
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : `${name}: ${value}`;
  });
  return [
    ...(cause === undefined
      ? []
      : [element('p', {}, element('a', { href: `problems#${cause}` }, 'What causes this problem, and what to do'))]),
    heading('Response headers'),
    code(headers.join('\n')),
    heading('Response body'),
    text === '' ? element('p', {}, 'None.') : code(isJson ? indented(start) : start),
    ...(isWhole ? [] : [element('p', {}, `Only the first ${MOST_SHOWN.toLocaleString('en')} characters are shown.`)]),
  ];
}

/** @param {string} text */
export const heading = (text) => element('p', { className: 'outcome-title' }, text);
/** @param {string} text */
export const code = (text) => element('pre', { tabIndex: 0 }, element('code', {}, text));

const TOKENS = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;
const OPENING = /^[{[]$/;
const CLOSING = /^[}\]]$/;

/**
 * JSON with one member in each line. Its numbers stay as they are written, which parsing would not do, and it may break
 * off.
 * @param {string} json
 */
export function indented(json) {
  let text = '';
  let depth = 0;
  let before = '';
  for (const [token] of json.matchAll(TOKENS)) {
    const isFirst = OPENING.test(before);
    const isEnd = CLOSING.test(token);
    if (isEnd) depth -= 1;
    if (isEnd !== isFirst || before === ',') text += `\n${'  '.repeat(depth)}`;
    text += token === ':' ? ': ' : token;
    if (OPENING.test(token)) depth += 1;
    before = token;
  }
  return text;
}
