import { escapedHtml } from '../markdown.ts';
import { COST } from './cost.ts';
import { type Operation, openApi, operationsOf } from './document.ts';
import { methodHtml } from './operation.ts';
import { recordsIn, recordsOf } from './records.ts';

/** The list of all operations and records, which a script can filter. */

export interface Group {
  /** Of the heading. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /** With sections of their own. */
  readonly records: readonly string[];
}

/** A group of each tag, and one of the records that all operations have in common. */
export const groups: readonly Group[] = [
  ...openApi.tags.map(({ name, description }) => ({
    id: `of-${name.toLowerCase().replaceAll(' ', '-')}`,
    title: name,
    description,
    operations: operationsOf().filter(({ tag }) => tag === name),
    records: recordsOf(name),
  })),
  {
    id: 'of-problems',
    title: 'Problems',
    description:
      'What every operation returns instead, where a request is refused or fails. The page [Problems](problems) has the cause of each, and its remedy.',
    operations: [],
    records: recordsOf(undefined),
  },
];

const recordNames = ({ operations, records }: Group): readonly string[] => [
  ...records,
  ...operations.flatMap(recordsIn),
];

/** The sections without operations. */
const REST = `<div class="group">
<p><a href="#overview">Overview</a></p>
<ul class="names">
<li><a href="#log-in">Log in to try it</a></li><li><a href="#${COST}">What a request costs</a></li><li><a href="#samples">What samples begin with</a></li><li><a href="#headers">Response headers</a></li>
</ul>
</div>`;

export const contents = (): string => `<nav id="contents" class="index" aria-label="Operations and records">
<a class="skip" href="#overview">Skip the contents</a>
<form id="search" role="search" hidden><label>Search <kbd>/</kbd> <input type="search" name="words" autocomplete="off" spellcheck="false" placeholder="Operations and records"></label><p role="status" class="note"></p></form>
<div class="groups">
${REST}
${groups.map(groupHtml).join('\n')}
</div>
</nav>`;

const groupHtml = (group: Group): string => `<div class="group">
<p><a href="#${group.id}">${escapedHtml(group.title)}</a></p>
<ul>
${group.operations.map(operationItem).join('\n')}
</ul>
<ul class="names">${recordNames(group)
  .map((name) => `<li><a href="#${name}">${name}</a></li>`)
  .join('')}</ul>
</div>`;

const operationItem = (operation: Operation): string =>
  `<li><a href="#${operation.id}">${methodHtml(operation)} <span>${escapedHtml(operation.summary)}</span> <code>${escapedHtml(operation.path.replace('/api/v1', ''))}</code></a></li>`;
