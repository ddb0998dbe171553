// @ts-check

/** Colours of code in the dark panels, without elements for them (CSS Custom Highlight API). */

const TOKENS =
  /(?<name>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<comment>(?<=^|\s)(?:#|\/\/).*$)|(?<word>\b(?:await|const|for|of|import|from|true|false|null|None|True|False|new|print|curl)\b|(?<=\s)-[A-Za-z]\b|\$\w+)|(?<number>\b\d+(?:\.\d+)?\b)/gm;

/** @type {WeakMap<Element, [Highlight, Range][]>} */
const coloured = new WeakMap();

/** Colours the text of an element, again where it has changed. @param {Element} code */
export function colour(code) {
  const { highlights } = globalThis.CSS ?? {};
  const text = code.firstChild;
  if (highlights === undefined || text === null || code.childNodes.length !== 1) return;
  for (const [highlight, range] of coloured.get(code) ?? []) highlight.delete(range);
  /** @type {[Highlight, Range][]} */
  const ranges = [];
  for (const { index, 0: token, groups = {} } of (text.textContent ?? '').matchAll(TOKENS)) {
    const [kind = ''] = Object.keys(groups).filter((name) => groups[name] !== undefined);
    const highlight = highlights.get(kind) ?? new Highlight();
    highlights.set(kind, highlight);
    const range = new Range();
    range.setStart(text, index);
    range.setEnd(text, index + token.length);
    highlight.add(range);
    ranges.push([highlight, range]);
  }
  coloured.set(code, ranges);
}
