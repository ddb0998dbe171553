import { escapedHtml, inlineText, text } from '../markdown.ts';
import { SETUP } from '../samples/samples.ts';
import { commonFields, loginForm } from '../try-it.ts';
import { contentsHtml, recordsId } from './contents.ts';
import { isCommon, openApi, type ProblemResponse } from './document.ts';
import { fieldTable } from './fields.ts';
import { type Group, groups } from './groups.ts';
import { type ReferencePage, withAddress, withLinks } from './links.ts';
import {
  COMMON,
  COST,
  methodHtml,
  operationSection,
  parameterTable,
  problemExamples,
  samplesHtml,
} from './operation.ts';
import { recordSection, recordsOf } from './records.ts';

/** The reference: an overview, a page of each tag, and all of it on one page, for paper. */

/** What a request costs, what samples begin with, and what all operations have in common. */
const overview = (isLoginOpen: boolean): string => `<div class="intro">
<section id="overview" class="prose">
<h1>Reference</h1>
${text(openApi.info.description)}
<h2 id="${COST}">What a request costs</h2>
${text(COST_GUIDE)}
</section>
<div class="shows">
${loginForm(isLoginOpen)}
<section id="samples" aria-label="What samples begin with">
${withAddress(samplesHtml(SETUP, 'Samples begin with'))}
<p class="hint">Samples go on from these lines and from <a href="#login">the login</a>. <code>$CLIENT_ID</code>, \
<code>clientId</code> and <code>client_id</code> stand for the id of a client; those of other records are named \
alike.</p>
</section>
</div>
</div>
<nav class="cards" aria-label="Operations by subject">
${groups.map(cardHtml).join('\n')}
</nav>
<section class="group prose" id="${COMMON}">
<h2><a href="#${COMMON}">Common parameters</a></h2>
<p>Many operations take these, and name those that they take.</p>
${parameterTable(Object.values(openApi.components.parameters).filter(isCommon))}
</section>
<section class="group prose" id="headers">
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
</section>
<section class="group" id="of-problems">
<h2><a href="#of-problems">Problems</a></h2>
<p>What every operation returns instead, where a request is refused or fails. The page <a href="problems">Problems</a> \
has the cause of each, and its remedy.</p>
${recordsOf(undefined).map(recordSection).join('\n')}
</section>`;

/** `docs/decisions/0081-request-budgets.md` */
const COST_GUIDE = `Each integration has a budget of requests a minute, and all integrations of an organization have
one together. An operation takes **1 request**. One with much work takes 1 more for each further 100 units of the
database that it needs: reading takes up to 1 unit for each 4 KB, a change at least 2 for each KB that it writes. So a
record of 50 KB, 25 log entries at once, or a page of 200 records of several KB each count as more than 1. Operations
that need no token take nothing. \`RateLimit\` and \`RateLimit-Policy\` of each response say what is left.`;

const cardHtml = ({ page, title, description }: Group): string =>
  `<a href="${page}"><b>${escapedHtml(title)}</b> <span>${inlineText(description)}</span></a>`;

const groupSections = (group: Group, login: string): string => `<section class="group" id="${group.id}">
<div class="intro">
<div class="prose">
<h1><a href="#${group.id}">${escapedHtml(group.title)}</a></h1>
<p class="lead">${inlineText(group.description)}</p>
</div>
<div class="shows">${login}${endpointsHtml(group)}</div>
</div>
<h2 class="unseen">Operations</h2>
${group.operations.map(operationSection).join('\n')}
${group.records.length === 0 ? '' : `<h2 class="records" id="${recordsId(group)}">Records</h2>`}
${group.records.map(recordSection).join('\n')}
</section>`;

const endpointsHtml = ({ operations }: Group): string => `<div class="card endpoints"><p class="title">Endpoints</p>
<ul>${operations
  .map((operation) => {
    const path = escapedHtml(operation.path.replace('/api/v1', ''));
    return `<li><a href="#${operation.id}">${methodHtml(operation)} <code>${path}</code></a></li>`;
  })
  .join('\n')}</ul></div>`;

/** Every type of problem that these groups can return, once. */
function problemsSection(some: readonly Group[]): string {
  const all = some.flatMap(({ operations }) => operations.flatMap(({ problems }) => problems));
  const each = new Map<string, ProblemResponse>(all.map((problem) => [`${problem.status} ${problem.type}`, problem]));
  return `<section class="bodies"><h2 id="bodies">Bodies of problems</h2>
<div>${problemExamples([...each.values()].toSorted((one, other) => Number(one.status) - Number(other.status)))}</div>
</section>`;
}

const neighbours = (index: number): string => {
  const [before, after] = [groups[index - 1], groups[index + 1]];
  return `<nav class="neighbours" aria-label="Neighbouring pages">
${before === undefined ? '<a href="reference">Overview</a>' : `<a href="${before.page}" rel="prev">${before.title}</a>`}
${after === undefined ? '' : `<a href="${after.page}" rel="next">${after.title}</a>`}
</nav>`;
};

const mainOf = (contents: string, sections: string): string =>
  `${contents}\n<div class="pages">\n${sections}\n</div>\n${commonFields()}`;

const overviewMain = mainOf(contentsHtml('overview'), overview(true));

/** The overview, and the page of each tag. */
export const referencePages = (): readonly ReferencePage[] =>
  withLinks([
    { name: 'reference', title: 'Reference', main: overviewMain },
    ...groups.map((group, index) => ({
      name: group.page,
      title: group.title,
      main: mainOf(
        contentsHtml(group),
        [groupSections(group, loginForm(false)), problemsSection([group]), neighbours(index)].join('\n'),
      ),
    })),
  ]);

/** All of it on one page. */
export const wholeReference = (): ReferencePage => ({
  name: 'reference-all',
  title: 'Reference on one page',
  main: mainOf(
    contentsHtml('all'),
    [overview(false), ...groups.map((group) => groupSections(group, '')), problemsSection(groups)].join('\n'),
  ),
});
