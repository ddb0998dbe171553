// @ts-check

import { colour } from './colours.js';

/** Scripts of all pages: show the address of their API, copy code, and find a problem by its type. */

const api = new URL(document.body.dataset.api ?? '.', location.href).href.replace(/\/$/, '');
for (const element of document.querySelectorAll('[data-address]')) element.textContent = api;
for (const element of document.querySelectorAll('[data-base]')) element.textContent = api.replace(/\/api\/v1$/, '');

const commands = document.querySelectorAll('pre:not(.shows pre, .bodies pre, :has(.language-json, .language-http))');
for (const block of navigator.clipboard === undefined ? [] : commands) {
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(
    block,
    copyButton(() => block.textContent),
  );
}
for (const code of document.querySelectorAll('pre:not(.shows pre, .bodies pre) code')) {
  // One text, without the element around the address.
  code.replaceChildren(code.textContent ?? '');
  colour(code);
}

/** A button that copies a text, and says so for a moment. @param {() => string | null | undefined} textOf */
export function copyButton(textOf) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'copy', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textOf() ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  return button;
}

/** The search, whose script is fetched when it is first opened. */
const openSearch = async () => (await import('./search.js')).open();
document.querySelector('#search')?.addEventListener('click', () => void openSearch());

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

document.addEventListener('keydown', (event) => {
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
  const isCommand = event.key === 'k' && (event.ctrlKey || event.metaKey);
  if (!isSlash && !isCommand) return;
  event.preventDefault();
  void openSearch();
});

/** @type {HTMLFormElement | null} */
const find = document.querySelector('#find');
find?.addEventListener('submit', (event) => {
  event.preventDefault();
  const wanted = String(new FormData(find).get('type')).trim();
  const found = wanted === '' ? null : document.getElementById(wanted);
  const status = find.querySelector('[role=status]');
  if (status) status.textContent = found ? '' : `There is no problem of the type ${wanted}.`;
  if (!found) return;
  location.hash = wanted;
  found.closest('section')?.querySelector('h2')?.focus();
});
