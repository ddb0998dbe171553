// @ts-check

/** Shows the samples in one language, which the browser remembers. */

const KEY = 'custodia.language';

const holders = Array.from(document.querySelectorAll('.samples'));
const languages = Array.from(
  holders[0]?.querySelectorAll('.sample') ?? [],
  (sample) => sample.getAttribute('data-language') ?? '',
);

/** Browsers may refuse storage. @returns {string | undefined} */
function remembered() {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
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

/** @param {string} language */
function show(language) {
  document.documentElement.dataset.language = language;
  for (const button of document.querySelectorAll('.tabs button'))
    button.setAttribute('aria-pressed', String(button.textContent === language));
}

/**
 * Samples above may have other heights in another language: what was clicked stays where it is.
 * @param {HTMLElement} button
 */
function choose(button) {
  const before = button.getBoundingClientRect().top;
  const language = button.textContent ?? '';
  show(language);
  remember(language);
  scrollBy(0, button.getBoundingClientRect().top - before);
}

for (const holder of holders) {
  const tabs = document.createElement('div');
  tabs.className = 'tabs';
  tabs.role = 'group';
  tabs.ariaLabel = 'Language of the samples';
  for (const language of languages) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = language;
    button.addEventListener('click', () => choose(button));
    tabs.append(button);
  }
  holder.prepend(tabs);
}

const language = remembered();
show(language !== undefined && languages.includes(language) ? language : (languages[0] ?? ''));
document.querySelector(':target')?.scrollIntoView();
