import { marked } from 'marked';
import { escapedHtml } from '../markdown.ts';

/** HTML of the texts of the OpenAPI document: Markdown in which HTML is text. */

const renderer = Object.assign(new marked.Renderer(), { html: escapedHtml });

/** Without GitHub's additions: an address in a text is no link. */
const OPTIONS = { renderer, gfm: false, mangle: false, headerIds: false };

/** A description of one paragraph, without a `p` around it. */
export const inlineText = (markdown: string): string => marked.parseInline(markdown, OPTIONS);

/** Paragraphs. */
export const text = (markdown: string): string => marked.parse(markdown, OPTIONS);

export const code = (value: string): string => `<code>${escapedHtml(value)}</code>`;
