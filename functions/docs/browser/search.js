// @ts-check

import { element } from './response.js';

/**
 * Finds operations, fields, parameters, records, problems, permissions and guides. Index and library are fetched when
 * somebody first asks.
 */

/**
 * @typedef {import('minisearch').default} Library
 * @typedef {import('minisearch').SearchResult} Found
 */

/** The folder of the pages, from any of them. */
const base = `${new URL(document.body.dataset.api ?? '.', location.href).href.replace(/\/$/, '')}/docs`;

/** Most results of a kind, and of all. */
const MOST_OF_KIND = 6;
const MOST = 24;
/** Most results that are looked at: the others are far from what was asked. */
const MOST_GROUPED = 200;

/** `hasRisks` and `has_risks` are two words. @param {string} text */
const wordsOf = (text) =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');

/** Typing errors are forgiven in words of four letters and more. @param {string} term */
const fuzzy = (term) => (term.length > 3 ? 0.2 : false);

/** @type {ReturnType<typeof load> | undefined} */
let loading;

async function load() {
  const [{ default: MiniSearch }, { stem, kinds, pages, entries: rows }] = await Promise.all([
    import('./minisearch.js'),
    import('./search-index.js'),
  ]);
  const titles = new Map(rows.filter(([kind]) => kind === 0).map(([, , anchor, title]) => [anchor, title]));
  const entries = rows.map(([kind, page, anchor, title, context, words], id) => ({
    ...{ id, kind: kinds[kind] ?? '', title, words },
    context:
      typeof context === 'string' ? context : `${titles.get(anchor)}${context === 0 ? '' : ` and ${context} more`}`,
    target: `${base}/${pages[page]}#${anchor || `${context}.${title}`}`,
  }));
  const library = new MiniSearch({
    fields: ['title', 'context', 'words'],
    storeFields: ['kind', 'title', 'context', 'target'],
    tokenize: wordsOf,
    processTerm: (term) => term.slice(0, stem),
    searchOptions: {
      boost: { title: 6, context: 2 },
      prefix: true,
      fuzzy,
      combineWith: 'AND',
      weights: { fuzzy: 0.3, prefix: 0.7 },
    },
  });
  library.addAll(entries);
  return { entries, library };
}

function loaded() {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** The page that has this anchor; undefined: none. @param {string} anchor */
export async function targetOf(anchor) {
  const { entries } = await loaded();
  return entries.find(({ target }) => target.endsWith(`#${anchor}`))?.target;
}

const input = document.createElement('input');
Object.assign(input, { type: 'text', autocomplete: 'off', spellcheck: false });
input.placeholder = 'Operations, fields, problems, guides';
input.setAttribute('role', 'combobox');
input.setAttribute('aria-expanded', 'true');
input.setAttribute('aria-controls', 'found');
input.ariaLabel = 'Search the documentation';
const list = element('div', { id: 'found', role: 'listbox', ariaLabel: 'Results' });
const state = element('p', { className: 'note', role: 'status' });
const dialog = document.createElement('dialog');
Object.assign(dialog, { className: 'search', ariaLabel: 'Search' });
dialog.append(input, state, list);
document.body.append(dialog);

/** @type {HTMLAnchorElement[]} */
let options = [];
let chosen = 0;

/** @param {number} next */
function choose(next) {
  options[chosen]?.removeAttribute('aria-selected');
  chosen = (next + options.length) % Math.max(options.length, 1);
  const option = options[chosen];
  option?.setAttribute('aria-selected', 'true');
  option?.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', option?.id ?? '');
}

/** @param {Found} found @param {number} index */
function optionOf({ title, context, target }, index) {
  const option = element('a', { href: target, id: `found-${index}`, role: 'option', tabIndex: -1 });
  option.append(element('b', {}, title), ' ', element('span', {}, context));
  option.addEventListener('click', () => dialog.close());
  return option;
}

/** The best of each kind, the kind with the best one first. @param {Found[]} all */
function grouped(all) {
  /** @type {Map<string, Found[]>} */
  const groups = new Map();
  for (const found of all) {
    const group = groups.get(found.kind) ?? [];
    if (group.length < MOST_OF_KIND) group.push(found);
    groups.set(found.kind, group);
  }
  return groups;
}

/** What has all words, else what has most of them. @param {Library} library @param {string} words */
function find(library, words) {
  const all = library.search(words);
  return all.length > 0 ? all : library.search(words, { combineWith: 'OR' });
}

/** What is spelled most alike. @param {Library} library @param {string} words */
const nearest = (library, words) =>
  library.search(words, { fuzzy: 0.5, fields: ['title'], combineWith: 'OR' }).slice(0, MOST_OF_KIND);

/** @param {Found[]} near */
const saidNone = (near) => (near.length === 0 ? 'None found.' : 'None found. The nearest:');

async function update() {
  const words = input.value.trim();
  const { library } = (await loaded().catch(() => undefined)) ?? {};
  if (library === undefined) state.textContent = 'The search could not be loaded. Type to try again.';
  if (library === undefined || words !== input.value.trim()) return;
  const all = words === '' ? [] : find(library, words);
  const near = words === '' || all.length > 0 ? [] : nearest(library, words);
  options = [];
  list.replaceChildren();
  state.textContent = words === '' ? '' : all.length > 0 ? `${all.length} found` : saidNone(near);
  for (const [kind, some] of grouped([...all.slice(0, MOST_GROUPED), ...near])) {
    if (options.length >= MOST) break;
    const group = element('div', { role: 'group', ariaLabel: kind }, element('p', { ariaHidden: 'true' }, kind));
    for (const found of some) {
      const option = optionOf(found, options.length);
      options.push(option);
      group.append(option);
    }
    list.append(group);
  }
  choose(0);
}

input.addEventListener('input', () => void update());
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(chosen + 1);
  else if (event.key === 'ArrowUp') choose(chosen - 1);
  else if (event.key === 'Enter') options[chosen]?.click();
  else return;
  event.preventDefault();
});
dialog.addEventListener('click', ({ target }) => {
  if (target === dialog) dialog.close();
});

export function open() {
  if (!dialog.open) dialog.showModal();
  input.select();
  void update();
}
