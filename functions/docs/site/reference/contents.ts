import { escapedHtml } from '../markdown.ts';
import type { Operation } from './document.ts';
import { type Group, groups } from './groups.ts';
import { methodHtml } from './operation.ts';

/**
 * The list beside a page. A narrow screen has it behind a button; neither needs a script. Of the page's own group it
 * has the operations, in the reference on one page those of all groups, which fold.
 */
export const contentsHtml = (current: Group | 'overview' | 'all'): string => `<div class="bar-of-contents">\
<button type="button" popovertarget="contents">Contents</button> <span>${titleOf(current)}</span></div>
<nav id="contents" class="index" aria-label="Reference" popover>
<ul class="tops">
${topHtml('reference', 'Overview', current === 'overview')}
${topHtml('reference-all', 'All on one page', current === 'all')}
</ul>
<p>Operations</p>
<ul class="tops">
${groups.map((group) => `<li>${groupHtml(group, current)}</li>`).join('\n')}
</ul>
</nav>`;

const titleOf = (current: Group | 'overview' | 'all'): string =>
  typeof current === 'object' ? escapedHtml(current.title) : current === 'all' ? 'All on one page' : 'Overview';

const topHtml = (page: string, title: string, isCurrent: boolean): string =>
  `<li><a href="${page}"${isCurrent ? ' aria-current="page"' : ''}>${title}</a></li>`;

function groupHtml(group: Group, current: Group | 'overview' | 'all'): string {
  const title = escapedHtml(group.title);
  if (current !== 'all' && current !== group) return `<a href="${group.page}">${title}</a>`;
  return `<details${current === group ? ' open' : ''}><summary>${title}</summary><ul>
${group.operations.map(operationItem).join('\n')}
${group.records.length === 0 ? '' : `<li><a href="#${recordsId(group)}">Records</a></li>`}
</ul></details>`;
}

/** The anchor of the heading above a group's records. */
export const recordsId = ({ id }: Group): string => `records-${id}`;

const operationItem = (operation: Operation): string =>
  `<li><a href="#${operation.id}"><span>${escapedHtml(operation.summary)}</span> ${methodHtml(operation)}</a></li>`;
