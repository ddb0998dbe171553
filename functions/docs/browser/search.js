// @ts-check

/** The contents of the reference: filters them by words, and marks what is being read. */

const index = /** @type {HTMLElement} */ (document.querySelector('#contents'));
const form = /** @type {HTMLFormElement} */ (index.querySelector('form'));
const field = /** @type {HTMLInputElement} */ (form.querySelector('input'));
const status = /** @type {HTMLElement} */ (form.querySelector('[role=status]'));

/** Names of operations and records are found too: `createClient`. */
const entries = Array.from(index.querySelectorAll('li'), (item) => ({
  item,
  link: /** @type {HTMLAnchorElement} */ (item.querySelector('a')),
  text: `${item.textContent} ${item.querySelector('a')?.hash}`.toLowerCase(),
}));

function filter() {
  const words = field.value.toLowerCase().split(/\s+/);
  for (const { item, text } of entries) item.hidden = !words.every((word) => text.includes(word));
  for (const group of /** @type {NodeListOf<HTMLElement>} */ (index.querySelectorAll('.group')))
    group.hidden = group.querySelector('li:not([hidden])') === null;
  const found = entries.filter(({ item }) => !item.hidden).length;
  status.textContent = field.value.trim() === '' ? '' : `${found === 0 ? 'None' : found} found`;
}

function clear() {
  field.value = '';
  filter();
}

field.addEventListener('input', filter);
field.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') clear();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  entries.find(({ item }) => !item.hidden)?.link.click();
});

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  event.preventDefault();
  field.focus();
  field.select();
});

const linkTo = new Map(entries.map(({ link }) => [link.hash.slice(1), link]));

/** @param {HTMLAnchorElement} link */
function mark(link) {
  index.querySelector('[aria-current]')?.removeAttribute('aria-current');
  link.setAttribute('aria-current', 'location');
  if (getComputedStyle(index).position !== 'sticky') return;
  const { top, bottom } = link.getBoundingClientRect();
  if (top < form.offsetHeight || bottom > innerHeight) index.scrollTop += top - innerHeight / 3;
}

/** Sections that cross a line near the upper edge are being read. */
const reading = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) {
      const link = linkTo.get(target.id);
      if (isIntersecting && link !== undefined) mark(link);
    }
  },
  { rootMargin: '-15% 0px -84% 0px' },
);
for (const section of document.querySelectorAll('.operation, .record')) reading.observe(section);

/** Of no use where the contents can be seen. */
const toContents = /** @type {HTMLElement} */ (document.querySelector('.to-contents'));
new IntersectionObserver(([change]) => {
  toContents.hidden = change?.isIntersecting === true;
}).observe(index);

form.hidden = false;
