// @ts-check

/** The list beside a page of the reference: marks what is being read, and leads on what old addresses name. */

const index = /** @type {HTMLElement} */ (document.querySelector('#contents'));
const links = new Map(Array.from(index.querySelectorAll('a'), (link) => [link.hash.slice(1), link]));

/** @param {HTMLAnchorElement} link */
function mark(link) {
  index.querySelector('[aria-current="location"]')?.removeAttribute('aria-current');
  link.setAttribute('aria-current', 'location');
}

/** Sections that cross a line near the upper edge are being read. */
const reading = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) {
      const link = links.get(target.id);
      if (isIntersecting && link !== undefined) mark(link);
    }
  },
  { rootMargin: '-15% 0px -84% 0px' },
);
for (const section of document.querySelectorAll('.operation, .records')) reading.observe(section);

// The group of this page is in sight.
const current = index.querySelector('details[open], [aria-current="page"]');
if (current !== null) index.scrollTop += current.getBoundingClientRect().top - index.getBoundingClientRect().top - 160;

// A drawer has done its work when a link is followed.
index.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('a') !== null && index.matches(':popover-open')) index.hidePopover();
});

// Addresses of the time when the reference was one page: another page may have what they name.
const wanted = location.hash.slice(1);
if (wanted !== '' && document.getElementById(wanted) === null) {
  const [, tag] = /^of-(.+)/.exec(wanted) ?? [];
  const target =
    tag === undefined ? await (await import('./search.js')).targetOf(wanted) : `reference-${tag}#${wanted}`;
  if (target !== undefined) location.replace(target);
}
