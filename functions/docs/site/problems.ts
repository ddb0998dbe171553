import { PROBLEM_TYPE_PREFIX, PROBLEMS, type Problem } from '#contract';
import { problemExample } from '../openapi/problems.ts';
import { repositoryFile } from './file.ts';
import { codeHtml, escapedHtml, html, inlineHtml } from './markdown.ts';

const INTRODUCTION = `Every error is a problem details object (RFC 9457). Its \`type\` is a stable name: programs
compare it, and people put it behind the \`#\` of this page's address. Quote \`request_id\` when you ask the operator of
this API about a response.`;

const TYPES = Object.keys(PROBLEMS) as Problem['type'][];

/** Of each type its heading, cause and remedy: Markdown in three paragraphs. */
const guide = (await repositoryFile('functions/docs/site/problem-guide.md')).split(/^## /m).map((section) =>
  section
    .trim()
    .replaceAll(/(?<!\n)\n(?!\n)/g, ' ')
    .split('\n\n'),
);

/** @throws TypeError for a type that the guide does not have in three paragraphs */
function guideTo(type: Problem['type']): readonly [cause: string, remedy: string] {
  const [, cause, remedy, ...others] = guide.find(([heading]) => heading === type) ?? [];
  if (cause === undefined || remedy === undefined || others.length > 0)
    throw new TypeError(`problem-guide.md has no cause and remedy of ${type}`);
  return [cause, remedy];
}

/** Every type of problem with its cause, what to do, and an example. The fragment of each is its whole `type`. */
export const problemsPage = (): string => `<h1>Problems</h1>
${html(INTRODUCTION)}
<form id="find" role="search">
<label>Find a <code>type</code> <input name="type" list="types" autocomplete="off" spellcheck="false" \
placeholder="${PROBLEM_TYPE_PREFIX}not-found"></label>
<datalist id="types">${TYPES.map(optionOf).join('')}</datalist>
<button>Show</button>
<p class="state" role="status"></p>
</form>
<nav aria-label="Problems by status" class="contents"><ul>
${TYPES.map(linkTo).join('\n')}
</ul></nav>
${TYPES.map(sectionOf).join('\n')}`;

const optionOf = (type: Problem['type']): string => `<option value="${PROBLEM_TYPE_PREFIX}${type}"></option>`;

const linkTo = (type: Problem['type']): string =>
  `<li><a href="#${PROBLEM_TYPE_PREFIX}${type}"><b>${PROBLEMS[type].status}</b> ${type}</a></li>`;

/** The short name is an anchor too: it is what people write by hand. */
function sectionOf(type: Problem['type']): string {
  const [cause, remedy] = guideTo(type);
  return `<section class="problem" id="${type}">
<h2 id="${PROBLEM_TYPE_PREFIX}${type}" tabindex="-1"><b>${PROBLEMS[type].status}</b> ${type}</h2>
<p>${escapedHtml(PROBLEMS[type].title)}.</p>
<dl>
<dt>Type</dt><dd><code>${PROBLEM_TYPE_PREFIX}${type}</code></dd>
<dt>Cause</dt><dd>${inlineHtml(cause)}</dd>
<dt>What to do</dt><dd>${inlineHtml(remedy)}</dd>
</dl>
${codeHtml(JSON.stringify(problemExample(type), null, 2))}
</section>`;
}
