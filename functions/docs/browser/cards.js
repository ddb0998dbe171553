// @ts-check

import { colour } from './colours.js';
import { element } from './response.js';
import { copyButton } from './site.js';
import { current, onChange } from './token.js';

/**
 * The cards beside an operation: its samples, of which one language is shown, which the browser remembers, and its
 * responses, of which one status is shown. A card gets its buttons when it comes near: one page has hundreds of cards.
 */

const KEY = 'custodia.language';
const LANGUAGES = ['curl', 'TypeScript', 'Python'];

/** Browsers may refuse storage. */
function remembered() {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

/** @param {string} language */
function remember(language) {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // It is shown all the same.
  }
}

/** @param {ParentNode} place @param {string} name */
function press(place, name) {
  for (const button of place.querySelectorAll('.tabs button'))
    button.setAttribute('aria-pressed', String(button.textContent === name));
}

/** @param {string} language */
function show(language) {
  document.documentElement.dataset.language = language;
  for (const card of document.querySelectorAll('.samples')) press(card, language);
}

/**
 * Samples above may have other heights in another language: what was clicked stays where it is.
 * @param {string} language @param {HTMLElement} button
 */
function choose(language, button) {
  const before = button.getBoundingClientRect().top;
  show(language);
  remember(language);
  scrollBy(0, button.getBoundingClientRect().top - before);
}

/**
 * Buttons that choose what a card shows, and one that copies it.
 * @param {Element} card @param {string} label @param {readonly string[]} names
 * @param {(name: string, button: HTMLElement) => void} chosen
 */
function addBar(card, label, names, chosen) {
  const tabs = element('div', { className: 'tabs', role: 'group', ariaLabel: label });
  for (const name of names) {
    const button = element('button', { type: 'button', textContent: name });
    button.dataset.kind = name.charAt(0);
    button.addEventListener('click', () => chosen(name, button));
    tabs.append(button);
  }
  const shown = () => Array.from(card.querySelectorAll('pre')).find((block) => block.checkVisibility())?.textContent;
  card.querySelector('.title')?.after(tabs, ...(navigator.clipboard === undefined ? [] : [copyButton(shown)]));
}

/** @param {Element} card */
function addSamples(card) {
  addBar(card, 'Language of the samples', LANGUAGES, choose);
  press(card, document.documentElement.dataset.language ?? '');
  if (navigator.clipboard !== undefined) card.append(tokenButton(card));
}

/** Samples have `$TOKEN`; one who asks for it gets the command with the token. @param {Element} card */
function tokenButton(card) {
  const button = element('button', {
    type: 'button',
    className: 'plain with-token',
    textContent: 'Copy with my token',
  });
  const show = () => {
    button.hidden = current() === undefined;
  };
  button.addEventListener('click', async () => {
    const command = card.querySelector('[data-language="curl"] pre')?.textContent ?? '';
    await navigator.clipboard.writeText(command.replaceAll('$TOKEN', () => current()?.token ?? '$TOKEN'));
  });
  onChange(show);
  show();
  return button;
}

/** Adds an example of each problem to the responses. @param {Element} card */
function addAnswers(card) {
  for (const link of card.closest('section')?.querySelectorAll('.errors a') ?? []) {
    const status = link.querySelector('b')?.textContent ?? '';
    const answer = card.querySelector(`[data-status="${status}"]`) ?? element('div', { className: 'answer' });
    answer.setAttribute('data-status', status);
    const example = document.querySelector(`[data-problem="${link.textContent}"]`);
    answer.append(element('h4', { textContent: link.textContent }));
    for (const block of example?.querySelectorAll('pre') ?? []) answer.append(block.cloneNode(true));
    card.append(answer);
  }
  const all = /** @type {HTMLElement[]} */ (Array.from(card.querySelectorAll('.answer')));
  const statuses = all.map(({ dataset }) => dataset.status ?? '');
  /** @param {string} status */
  const showStatus = (status) => {
    press(card, status);
    for (const answer of all) answer.hidden = answer.dataset.status !== status;
  };
  // They scroll, also with the keyboard.
  for (const block of card.querySelectorAll('pre')) block.tabIndex = 0;
  addBar(card, 'Status of the response', statuses, showStatus);
  card.classList.add('ready');
  showStatus(statuses[0] ?? '');
}

const coming = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) {
      if (!isIntersecting) continue;
      coming.unobserve(target);
      if (target.classList.contains('samples')) addSamples(target);
      else if (target.classList.contains('answers')) addAnswers(target);
      for (const code of target.querySelectorAll('code')) colour(code);
    }
  },
  { rootMargin: '100% 0px' },
);
for (const card of document.querySelectorAll('.card')) coming.observe(card);

const language = remembered();
show(LANGUAGES.includes(language) ? language : 'curl');
document.querySelector(':target')?.scrollIntoView();
