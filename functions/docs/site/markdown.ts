import { marked } from 'marked';

/** Makes HTML of this repository's own Markdown. It is trusted: HTML in it is kept. */

/** The target of a link on the pages; undefined where the pages do not have it. */
export type Destinations = (target: string) => string | undefined;

/** `a < b` as text of HTML. */
export const escapedHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const LINK = /\[([^\]]*)\]\(([^)\s]+)\)/g;

/** Links to pages are kept. Others become text, and are removed where they are only a hint in parentheses. */
function withLinks(text: string, destinationOf: Destinations): string {
  const isKept = (target: string): boolean => destinationOf(target) !== undefined;
  return text
    .replace(/(?: |\n *)\(\[[^\]]*\]\(([^)\s]+)\)\)/g, (hint, target: string) => (isKept(target) ? hint : ''))
    .replace(LINK, (_, label: string, target: string) => {
      const destination = destinationOf(target);
      return destination === undefined ? label : `[${label}](${destination})`;
    });
}

/** The anchor of a heading: `What it protects, and what not` is `what-it-protects-and-what-not`. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/<[^>]*>|&\w+;|[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');

/** Tables that are wider than a phone can be scrolled, also with the keyboard. */
const scrollable = (html: string): string =>
  html.replaceAll('<table>', '<div class="wide" tabindex="0"><table>').replaceAll('</table>', '</table></div>');

/** HTML of a whole text. */
export const html = (markdown: string, destinationOf: Destinations = (target) => target): string =>
  withAnchors(scrollable(marked.parse(withLinks(markdown, destinationOf), { mangle: false, headerIds: false })));

/** The second of two headings that are alike gets an anchor that ends in `-1`, as on GitHub. */
function withAnchors(page: string): string {
  const seen = new Map<string, number>();
  return page.replace(/<(h[2-6])>(.*?)<\/\1>/g, (_, level: string, heading: string) => {
    const anchor = anchorOf(heading);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return `<${level} id="${anchor}${before === 0 ? '' : `-${before}`}">${heading}</${level}>`;
  });
}

/** Links to the sections of a page in HTML; where it has one section only, to the parts of that. */
function contentsOf(page: string): string {
  const sections = headingsOf(page, 'h2');
  const headings = sections.length > 1 ? sections : headingsOf(page, 'h3');
  const links = headings.map(({ anchor, heading }) => `<li><a href="#${anchor}">${heading}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><p>On this page</p>\n<ul>\n${links.join('\n')}\n</ul></nav>`;
}

/** A text with its contents beside it, where there is room. @param lead what stands before them */
export const besideContents = (title: string, lead: string, text: string): string => `<div class="guide">
<div class="lead"><h1>${title}</h1>
${lead}</div>
${contentsOf(text)}
<div class="text">
${text}
</div>
</div>`;

const headingsOf = (page: string, level: 'h2' | 'h3') =>
  page
    .split(`<${level} id="`)
    .slice(1)
    .map((section) => ({
      anchor: section.slice(0, section.indexOf('"')),
      heading: section.slice(section.indexOf('>') + 1, section.indexOf(`</${level}>`)),
    }));

/** HTML of a sentence, without a paragraph around it. */
export const inlineHtml = (markdown: string, destinationOf: Destinations = (target) => target): string =>
  marked.parseInline(withLinks(markdown, destinationOf));

/** A block of code, as it is. */
export const codeHtml = (code: string): string => `<pre><code>${escapedHtml(code)}</code></pre>`;

/** The texts of the OpenAPI document are Markdown in which HTML is text. */
const renderer = Object.assign(new marked.Renderer(), { html: escapedHtml });

/** Without GitHub's additions: an address in a text is no link. */
const OPTIONS = { renderer, gfm: false, mangle: false, headerIds: false };

/** A description of one paragraph, without a `p` around it. */
export const inlineText = (markdown: string): string => marked.parseInline(markdown, OPTIONS);

/** Paragraphs. */
export const text = (markdown: string): string => marked.parse(markdown, OPTIONS);

export const code = (value: string): string => `<code>${escapedHtml(value)}</code>`;
