import { code, codeHtml, escapedHtml, inlineText, text } from '../markdown.ts';
import { type Sample, samplesOf } from '../samples/samples.ts';
import { tryItOf } from '../try-it.ts';
import {
  type Content,
  isCommon,
  isForSmallLists,
  nameIn,
  type Operation,
  openApi,
  type Parameter,
  type Response,
  type Schema,
} from './document.ts';
import { fieldTable, rowsOf, typeOf, typeTable } from './fields.ts';
import { directionOf, isOfOneOperation, recordBody, schemaNamed } from './records.ts';

/** The section of an operation: what it does beside samples and examples. */

export const methodHtml = ({ method }: Pick<Operation, 'method'>): string =>
  `<b class="method ${method.toLowerCase()}">${method}</b>`;

export const operationSection = (operation: Operation): string => `<section class="operation" id="${operation.id}">
<h3><a href="#${operation.id}">${escapedHtml(operation.summary)}</a></h3>
<p class="address">${methodHtml(operation)} ${code(operation.path)}</p>
<div class="sides">
<div class="does">
${text(operation.description)}
${factsOf(operation)}
</div>
<div class="shows">
${samplesHtml(samplesOf(operation))}
${tryItOf(operation)}
${examplesOf(operation)}
</div>
<div class="says">
${parametersOf(operation)}
${bodyOf(operation)}
${operation.responses.map((response) => responseOf(response)).join('\n')}
${problemsOf(operation)}
</div>
</div>
</section>`;

function factsOf(operation: Operation): string {
  const { isExtension, id } = operation;
  const facts = [
    ['Permission', permissionOf(operation)],
    [`<a href="#${COST}">Cost</a>`, costOf(operation)],
    ['Operation', `${code(id)}${isExtension ? ', an extension of the specification' : ''}`],
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
${common.length === 0 ? '' : folded(common)}`;
}

const folded = (parameters: readonly Parameter[]): string => `<details class="common">\
<summary>Common: ${namesOf(parameters)}</summary>${parameterTable(parameters)}</details>`;

const namesOf = (parameters: readonly Parameter[]): string => parameters.map(({ name }) => code(name)).join(', ');

const parameterTable = (parameters: readonly Parameter[]): string =>
  fieldTable(
    parameters.map(({ name, schema, description, required, ...rest }) => ({
      name,
      schema,
      description,
      marks: [...(required === true ? ['required'] : []), ...(rest.in === 'query' ? [] : [rest.in])],
    })),
    'Parameter',
  );

function bodyOf({ body }: Operation): string {
  if (body === undefined) return '';
  return `<h4>Body</h4>
<p>${code(body.mediaType)}. ${inlineText(body.description)}</p>
${recordPart(body)}`;
}

function responseOf({ status, description, headers, content }: Response): string {
  const names = headers.map((name) => code(name)).join(', ');
  return `<h4>Response ${status}</h4>
<p>${inlineText(description)}</p>
${content.map((each) => recordPart(each)).join('\n')}
<p class="headers"><a href="#headers">Headers</a>: ${names}.</p>`;
}

/** Of a record of this operation only, the section; of another, names and types, and where they are described. */
function recordPart({ schema, mediaType }: Content): string {
  if (schema.$ref === undefined) return `<p>${code(mediaType)}: ${typeOf(schema)}.</p>`;
  const name = nameIn(schema.$ref);
  if (isOfOneOperation(name))
    return `<section class="part" id="${name}"><h5><a href="#${name}">${name}</a></h5>${recordBody(name)}</section>`;
  const table = typeTable(rowsOf(schemaNamed(name), directionOf(name)));
  return `<p>A record as <a href="#${name}">${name}</a> describes it:</p>${table}`;
}

const problemsOf = ({ problems }: Operation): string => `<h4>Problems</h4>
<ul class="answers">${problems
  .map(({ status, type }) => `<li><a href="problems#${type}"><b>${status}</b> ${type}</a></li>`)
  .join('')}</ul>`;

/** In each language; a script shows one of them. */
export const samplesHtml = (samples: readonly Sample[]): string => `<div class="samples">
${samples
  .map(
    ({ language, text }) =>
      `<div class="sample" data-language="${language}"><h4>${language}</h4>${codeHtml(text)}</div>`,
  )
  .join('\n')}
</div>`;

function examplesOf({ body, responses }: Operation): string {
  const returned = responses.flatMap(({ status, content }) =>
    content
      .filter(({ mediaType }) => mediaType === 'application/json')
      .map(({ schema, example = exampleOf(schema) }) => exampleHtml(`Example of the response, ${status}`, example)),
  );
  return [
    ...(body === undefined ? [] : [exampleHtml('Example of the body', body.example ?? exampleOf(body.schema))]),
    ...returned,
  ].join('\n');
}

const exampleHtml = (title: string, value: unknown): string =>
  `<div class="example"><h4>${title}</h4>${jsonHtml(value)}</div>`;

/** An example of a value of this schema. */
export function exampleOf(schema: Schema): unknown {
  const { $ref, const: only, examples, properties, items, type } = schema;
  if ($ref !== undefined) return exampleOf(openApi.components.schemas[nameIn($ref)] ?? {});
  if (only !== undefined) return only;
  if (examples !== undefined) return examples[0];
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]));
  const types = [type].flat();
  if (types.includes('null')) return null;
  if (types.includes('array')) return items === undefined ? [] : [exampleOf(items)];
  return types.includes('object') ? {} : '…';
}

/** JSON on lines, with its names marked. */
export function jsonHtml(value: unknown): string {
  const json = escapedHtml(JSON.stringify(value, null, 2));
  const marked = json.replace(/^( *)(&quot;(?:[^&]|&(?!quot;))*&quot;):/gm, '$1<span class="name">$2</span>:');
  return `<pre><code class="language-json">${marked}</code></pre>`;
}

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
