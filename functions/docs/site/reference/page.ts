import { EXAMPLE_ADDRESS } from '../layout.ts';
import { escapedHtml, inlineText, text } from '../markdown.ts';
import { SETUP } from '../samples/samples.ts';
import { loginForm } from '../try-it.ts';
import { type Operation, openApi, operations } from './document.ts';
import { fieldTable } from './fields.ts';
import { COST, methodHtml, operationSection, samplesHtml } from './operation.ts';
import { recordSection, recordsIn, recordsOf } from './records.ts';

/** The reference: every operation and every record of the OpenAPI document on one page. */
export const referencePage = (): string => `${contents()}
<div class="pages">
<h1>Reference</h1>
<section id="overview" class="prose">
${text(openApi.info.description)}
<h2 id="${COST}">What a request costs</h2>
${text(COST_GUIDE)}
<h2 id="samples">What samples begin with</h2>
<p>Every operation has samples in three languages. They go on from these lines and from <a href="#login">the \
login</a>. <code>$CLIENT_ID</code>, <code>clientId</code> and <code>client_id</code> stand for the id of a client \
that you have created or read; those of other records are named alike.</p>
<h3 class="unseen">Samples</h3>
${withAddress(samplesHtml(SETUP))}
</section>
${loginForm()}
${groups.map(groupSection).join('\n')}
${headersSection()}
</div>
<a class="to-contents" href="#contents">Contents</a>`;

/** A script replaces the address by that of the page's API, and its part in front of `/api/v1`. */
const withAddress = (html: string): string => {
  const base = EXAMPLE_ADDRESS.replace('/api/v1', '');
  const withBase = (text: string): string => text.replaceAll(base, `<span data-base>${base}</span>`);
  return html.split(EXAMPLE_ADDRESS).map(withBase).join(`<span data-address>${EXAMPLE_ADDRESS}</span>`);
};

const groupSection = ({
  id,
  title,
  description,
  operations,
  records,
}: Group): string => `<section class="group" id="${id}">
<h2><a href="#${id}">${title}</a></h2>
<p>${inlineText(description)}</p>
${[...operations.map(operationSection), ...records.map(recordSection)].join('\n')}
</section>`;

const headersSection = (): string => `<section class="group" id="headers">
<h2><a href="#headers">Response headers</a></h2>
${fieldTable(
  Object.entries(openApi.components.headers).map(([name, { description, schema }]) => ({
    name,
    schema,
    description,
    marks: [],
  })),
  'Header',
)}
</section>`;

/** `docs/decisions/0081-request-budgets.md` */
const COST_GUIDE = `Each integration has a budget of requests a minute, and all integrations of an organization have
one together. An operation takes **1 request**. One with much work takes 1 more for each further 100 units of the
database that it needs: reading takes up to 1 unit for each 4 KB, a change at least 2 for each KB that it writes. So a
record of 50 KB, 25 log entries at once, or a page of 200 records of several KB each count as more than 1. Operations
that need no token take nothing. \`RateLimit\` and \`RateLimit-Policy\` of each response say what is left.`;

interface Group {
  /** Of the heading. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /** With sections of their own. */
  readonly records: readonly string[];
}

/** A group of each tag, and one of the records that all operations have in common. */
const groups: readonly Group[] = [
  ...openApi.tags.map(({ name, description }) => ({
    id: `of-${name.toLowerCase().replaceAll(' ', '-')}`,
    title: name,
    description,
    operations: operations.filter(({ tag }) => tag === name),
    records: recordsOf(name),
  })),
  {
    id: 'of-problems',
    title: 'Problems',
    description:
      'What every operation returns instead, where a request is refused or fails. The page [Problems](problems) ' +
      'has the cause of each, and its remedy.',
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
<li><a href="#log-in">Log in to try it</a></li><li><a href="#${COST}">What a request costs</a></li>\
<li><a href="#samples">What samples begin with</a></li><li><a href="#headers">Response headers</a></li>
</ul>
</div>`;

/** The list of all operations and records, which a script can filter. */
const contents = (): string => `<nav id="contents" class="index" aria-label="Operations and records">
<a class="skip" href="#overview">Skip the contents</a>
<form id="search" role="search" hidden><label>Search <kbd>/</kbd> <input type="search" name="words" \
autocomplete="off" spellcheck="false" placeholder="Operations and records"></label><p role="status" \
class="note"></p></form>
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
  `<li><a href="#${operation.id}">${methodHtml(operation)} <span>${escapedHtml(operation.summary)}</span> \
<code>${escapedHtml(operation.path.replace('/api/v1', ''))}</code></a></li>`;
