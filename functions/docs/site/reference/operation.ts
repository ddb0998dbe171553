import { STATUS_CODES } from 'node:http';
import { descriptionBesideMarks } from '../../openapi/operation.ts';
import { code, codeHtml, escapedHtml, inlineText, text } from '../markdown.ts';
import { requestOf } from '../samples/request.ts';
import { type Sample, samplesOf } from '../samples/samples.ts';
import { tryItOf } from '../try-it.ts';
import {
  type Content,
  isCommon,
  isForSmallLists,
  nameIn,
  type Operation,
  type Parameter,
  type ProblemResponse,
  type Response,
} from './document.ts';
import { exampleOf, jsonHtml } from './examples.ts';
import { fieldTable, typeOf, withExtensionMark } from './fields.ts';
import { isOfOneOperation, recordBody } from './records.ts';

/** The section of an operation: what it does beside samples and examples. */

export const methodHtml = ({ method }: Pick<Operation, 'method'>): string =>
  `<b class="method ${method.toLowerCase()}">${method}</b>`;

export const operationSection = (operation: Operation): string => `<section class="operation" id="${operation.id}">
<div class="sides">
<div class="does">
<h3><a href="#${operation.id}">${escapedHtml(operation.summary)}</a></h3>
<p class="address">${methodHtml(operation)} ${code(operation.path)}${operation.isExtension ? EXTENSION : ''}</p>
${text(descriptionBesideMarks(requestOf(operation.id).route))}
${factsOf(operation)}
</div>
<div class="shows">
${samplesHtml(samplesOf(operation))}
${tryItOf(operation)}
${answersOf(operation)}
</div>
<div class="says">
${parametersOf(operation)}
${bodyOf(operation)}
${operation.responses.map((response) => responseOf(response)).join('\n')}
${problemsOf(operation)}
</div>
</div>
</section>`;

/** Of an operation that the specification of the service does not have. */
const EXTENSION = ' <span class="mark extension">extension</span>';

function factsOf(operation: Operation): string {
  const facts = [
    ['Permission', permissionOf(operation)],
    [`<a href="#${COST}">Cost</a>`, costOf(operation)],
    ['Operation', code(operation.id)],
  ];
  const items = facts.map(([term, fact]) => `<div><dt>${term}</dt><dd>${fact}</dd></div>`);
  return `<dl class="facts">${items.join('')}</dl>`;
}

/** What the caller needs instead, where no permission is needed. */
const WITHOUT_PERMISSION = { token: 'none: any token', optional: 'none', signature: 'none: a signature', none: 'none' };

function permissionOf({ permission, access }: Operation): string {
  if (permission === undefined) return WITHOUT_PERMISSION[access];
  return `${code(permission)}${access === 'optional' ? ', or no token where the stage allows that' : ''}`;
}

function parametersOf({ parameters }: Operation): string {
  const {
    own = [],
    small = [],
    common = [],
  } = Object.groupBy(parameters, (each) => (isForSmallLists(each) ? 'small' : isCommon(each) ? 'common' : 'own'));
  if (parameters.length === 0) return '';
  return `<h4>Parameters</h4>
${parameterTable(own)}
${small.length === 0 ? '' : `<p><a href="pagination#small-lists">Filters for small lists</a>: ${namesOf(small)}.</p>`}
${common.length === 0 ? '' : `<p class="common"><a href="#${COMMON}">Common</a>: ${namesOf(common)}.</p>`}`;
}

const namesOf = (parameters: readonly Parameter[]): string => parameters.map(({ name }) => code(name)).join(', ');

export const parameterTable = (parameters: readonly Parameter[]): string =>
  fieldTable(
    parameters.map(({ name, schema, description, required, ...rest }) =>
      withExtensionMark({
        name,
        schema,
        description,
        marks: [...(required === true ? ['required'] : []), ...(rest.in === 'query' ? [] : [rest.in])],
      }),
    ),
    'Parameter',
  );

function bodyOf({ body }: Operation): string {
  if (body === undefined) return '';
  return `<h4>Body</h4>
<p>${code(body.mediaType)}. ${inlineText(body.description)}</p>
${recordPart(body)}`;
}

/** What most responses have; the overview describes them. */
const USUAL_HEADERS: ReadonlySet<string> = new Set(['X-Request-Id', 'Cache-Control', 'RateLimit-Policy', 'RateLimit']);

function responseOf({ status, description, headers, content }: Response): string {
  const own = headers.filter((name) => !USUAL_HEADERS.has(name)).map((name) => code(name));
  return `<h4>Response ${status}</h4>
<p>${inlineText(description)}</p>
${content.map((each) => recordPart(each)).join('\n')}
${own.length === 0 ? '' : `<p class="headers"><a href="#headers">Headers</a>: ${own.join(', ')}.</p>`}`;
}

/** Of a record of this operation only, the section; of another, where it is described. */
function recordPart({ schema, mediaType }: Content): string {
  if (schema.$ref === undefined) return `<p>${code(mediaType)}: ${typeOf(schema)}.</p>`;
  const name = nameIn(schema.$ref);
  if (isOfOneOperation(name))
    return `<section class="part" id="${name}"><h5><a href="#${name}">${name}</a></h5>${recordBody(name)}</section>`;
  return `<p>As <a href="#${name}">${name}</a> describes it.</p>`;
}

const problemsOf = ({ problems }: Operation): string => `<h4>Problems</h4>
<ul class="errors">${problems
  .map(({ status, type, title }) => `<li><a href="problems#${type}"><b>${status}</b> ${type}</a> ${title}</li>`)
  .join('\n')}</ul>`;

/** In each language; a script shows one of them. */
export const samplesHtml = (samples: readonly Sample[], title = 'Request'): string => `<div class="card samples">
<p class="title">${title}</p>
${samples
  .map(
    ({ language, text }) =>
      `<div class="sample" data-language="${language}"><h4>${language}</h4>${codeHtml(text)}</div>`,
  )
  .join('\n')}
</div>`;

/** An example of each response. A script adds those of problems, and shows one status at a time. */
const answersOf = ({ responses }: Operation): string => `<div class="card answers"><p class="title">Response</p>
${responses.map(({ status, content }) => answerHtml(status, successHtml(status, content))).join('\n')}</div>`;

const answerHtml = (status: string, html: string): string =>
  `<div class="answer" data-status="${status}">${html}</div>`;

/** Examples of these types of problems, for scripts and for readers without one. */
export const problemExamples = (problems: readonly ProblemResponse[]): string =>
  problems
    .map(
      ({ status, type, example }) =>
        `<div data-problem="${status} ${type}">${exampleHtml(`${status} ${type}`, example, 'h3')}</div>`,
    )
    .join('\n');

function successHtml(status: string, content: readonly Content[]): string {
  const json = content.find(({ mediaType }) => mediaType === 'application/json');
  const title = `${status} ${STATUS_CODES[status]}`;
  if (json !== undefined) return exampleHtml(title, json.example ?? exampleOf(json.schema));
  const [other] = content;
  return `<h4>${title}</h4><p>${other === undefined ? 'No body.' : code(other.mediaType)}</p>`;
}

const exampleHtml = (title: string, value: unknown, heading = 'h4'): string =>
  `<${heading}>${title}</${heading}>${jsonHtml(value)}`;

/** The section with the parameters that many operations have alike. */
export const COMMON = 'common';

/** The section that explains how requests are counted. */
export const COST = 'cost';

/** `1 request`, and when it is more. */
export function costOf({ access, responses, body }: Operation): string {
  if (access === 'none') return 'none: it needs no token';
  const isList = responses.some(({ content }) => content.some(({ schema }) => schema.$ref?.match(/(Page|List)$/)));
  if (isList) return '1 request, more for a page of large records';
  if (body !== undefined) return '1 request, more for large bodies';
  return '1 request';
}
