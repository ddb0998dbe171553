// @ts-check

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
