import { PROBLEM_TYPE_PREFIX, PROBLEMS, type ProblemType } from '#contract/problem';
import { problemExample } from '#openapi';
import { codeHtml, escapedHtml, html, inlineHtml } from './markdown.ts';
import { PROBLEM_GUIDE } from './problem-guide.ts';

const INTRODUCTION = `Every error is a problem details object (RFC 9457). Its \`type\` is a stable name: programs compare it, and people put it behind the \`#\` of this page's address.
Quote \`request_id\` when you ask the operator of this API about a response.`;

const TYPES = Object.keys(PROBLEMS) as ProblemType[];

/** Every type of problem with its cause, what to do, and an example. The fragment of each is its whole `type`. */
export const problemsPage = (): string => `<h1>Problems</h1>
${html(INTRODUCTION)}
<form id="find" role="search">
<label>Find a <code>type</code> <input name="type" list="types" autocomplete="off" spellcheck="false" placeholder="${PROBLEM_TYPE_PREFIX}not-found"></label>
<datalist id="types">${TYPES.map((type) => `<option value="${PROBLEM_TYPE_PREFIX}${type}"></option>`).join('')}</datalist>
<button>Show</button>
<p class="state" role="status"></p>
</form>
<nav aria-label="Problems by status" class="contents"><ul>
${TYPES.map((type) => `<li><a href="#${PROBLEM_TYPE_PREFIX}${type}"><b>${PROBLEMS[type].status}</b> ${type}</a></li>`).join('\n')}
</ul></nav>
${TYPES.map(sectionOf).join('\n')}`;

/** The short name is an anchor too: it is what people write by hand. */
const sectionOf = (type: ProblemType): string => `<section class="problem" id="${type}">
<h2 id="${PROBLEM_TYPE_PREFIX}${type}" tabindex="-1"><b>${PROBLEMS[type].status}</b> ${type}</h2>
<p>${escapedHtml(PROBLEMS[type].title)}.</p>
<dl>
<dt>Type</dt><dd><code>${PROBLEM_TYPE_PREFIX}${type}</code></dd>
<dt>Cause</dt><dd>${inlineHtml(PROBLEM_GUIDE[type].cause)}</dd>
<dt>What to do</dt><dd>${inlineHtml(PROBLEM_GUIDE[type].remedy)}</dd>
</dl>
${codeHtml(JSON.stringify(problemExample(type), null, 2))}
</section>`;
