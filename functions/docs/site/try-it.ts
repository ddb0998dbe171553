import { escapedHtml } from './markdown.ts';
import { isCommon, isForSmallLists, type Operation, openApi, type Parameter } from './reference/document.ts';
import { requestOf } from './samples/request.ts';

/**
 * The form that tries an operation. It is in a template, which neither searching nor printing sees, until
 * `browser/try-it.js` opens it; without a script the whole element stays hidden.
 */

export function tryItOf(operation: Operation): string {
  const { id, method, path } = operation;
  const { auth, leaves, route, returns } = requestOf(id);
  const common = operation.parameters.filter(isCommon);
  const small = operation.parameters.filter(isForSmallLists);
  const data = {
    method,
    path,
    auth,
    returns,
    ...(Object.keys(leaves).length > 0 ? { leaves: JSON.stringify(leaves) } : {}),
  };
  return `<details class="try-it" hidden ${attributes(data)}><summary>Try it</summary><template>\
<form autocomplete="off">
${route.auth === 'bearer' ? TOKEN_MISSING : ''}
${operation.parameters
  .filter((parameter) => !common.includes(parameter) && !small.includes(parameter))
  .map((parameter) => fieldOf(operation, parameter))
  .join('\n')}
${bodyOf(id)}
${auth === 'signature' ? SECRET : ''}
${folded('Filters for small lists', operation, small)}
${common.length === 0 ? '' : commonPlace(common)}
<p class="send"><button>Send</button> ${effectOf(operation)}</p>
</form></template></details>`;
}

/** Where a script puts the fields of these from `commonFields`. */
const commonPlace = (common: readonly Parameter[]): string =>
  `<details class="common" data-common="${common.map(({ name }) => name).join(' ')}">` +
  '<summary>Common parameters</summary></details>';

/** The fields of common parameters, once on a page. */
export const commonFields = (): string => `<template id="common-fields">
${Object.values(openApi.components.parameters)
  .filter(isCommon)
  .map((parameter) => fieldHtml(parameter, undefined))
  .join('\n')}
</template>`;

const TOKEN_MISSING =
  '<p class="token-missing">Without a token the response is a 401: <a href="#log-in">log in</a> first.</p>';

const folded = (title: string, operation: Operation, parameters: readonly Parameter[]): string =>
  parameters.length === 0
    ? ''
    : `<details class="common"><summary>${title}</summary>
${parameters.map((parameter) => fieldOf(operation, parameter)).join('\n')}
</details>`;

const attributes = (data: Readonly<Record<string, string>>): string =>
  Object.entries(data)
    .map(([name, value]) => `data-${name}="${escapedHtml(value)}"`)
    .join(' ');

/** Types whose values are no text in samples. */
const IS_JSON = /^(integer|number|boolean)$/;

/** Only what is required is filled in: an example in an optional filter would empty a list. */
const fieldOf = (operation: Operation, parameter: Parameter): string =>
  fieldHtml(parameter, parameter.required === true ? exampleOf(operation, parameter) : undefined);

function fieldHtml(parameter: Parameter, example: string | undefined): string {
  const { name, in: place, required = false } = parameter;
  const [, variable] = /^\{\{(\w+)\}\}$/.exec(example ?? '') ?? [];
  const given = {
    name: `${place}:${name}`,
    ...(variable === undefined ? {} : { 'data-variable': variable }),
    ...(required && place === 'header' ? { 'data-fill': 'uuid' } : {}),
    ...(place === 'query' && IS_JSON.test(String(parameter.schema.type)) ? { 'data-json': 'true' } : {}),
    ...(example === undefined || variable !== undefined ? {} : { value: example }),
  };
  const named = Object.entries(given).map(([attribute, value]) => `${attribute}="${escapedHtml(value)}"`);
  const control = [...named, ...(required ? ['required'] : [])].join(' ');
  const notes = [place, ...(required ? ['required'] : []), ...(isRepeated(parameter) ? ['a value in each line'] : [])];
  return `<label><code>${name}</code> <small>${notes.join(', ')}</small> ${controlOf(control, parameter)}</label>`;
}

const isRepeated = ({ schema, explode = false }: Parameter): boolean => schema.type === 'array' && explode;

/** @param control the attributes of the element */
function controlOf(control: string, parameter: Parameter): string {
  if (isRepeated(parameter)) {
    return `<textarea ${control} data-repeated="true" rows="2" spellcheck="false"></textarea>`;
  }
  const { schema } = parameter;
  const standard = schema.default === undefined ? someOf(schema) : `${schema.default} unless set`;
  const values = schema.type === 'boolean' ? [true, false] : schema.enum;
  if (values === undefined)
    return `<input ${control} placeholder="${escapedHtml(standard)}" autocomplete="off" spellcheck="false">`;
  const options = values.map((value) => `<option>${value}</option>`).join('');
  return `<select ${control}><option value="">${escapedHtml(standard) || 'not sent'}</option>${options}</select>`;
}

/** The values of which several may be given. */
const someOf = ({ items }: Parameter['schema']): string =>
  items?.enum === undefined ? '' : `any of ${items.enum.join(',')}`;

/** The value of a parameter in the path or the query of the sample. */
function exampleOf({ id, path }: Operation, { name, in: place }: Parameter): string | undefined {
  const sample = requestOf(id);
  return place === 'query' ? sample.query[name] : sample.path.split('/')[path.split('/').indexOf(`{${name}}`)];
}

/** The fields that a body must have; the whole example where it must have none, as a change. */
function bodyOf(id: string): string {
  const { body, required, auth } = requestOf(id);
  if (body === undefined) return '';
  const fields = Object.entries(body).filter(([field]) => required.length === 0 || required.includes(field));
  const text = JSON.stringify(Object.fromEntries(fields), null, 2);
  const note = auth === 'signature' ? 'the very bytes that are signed' : 'JSON';
  const rows = text.split('\n').length + 1;
  return `<label class="whole">Body <small>${note}</small> \
<textarea name="body" rows="${rows}" spellcheck="false">${escapedHtml(text)}</textarea></label>`;
}

const SECRET =
  '<label>Secret of the integration <small>signs, and is neither sent nor kept</small> <input name="secret" ' +
  'type="password" autocomplete="off" required></label>';

const effectOf = ({ id, method, summary }: Operation): string => {
  if (method === 'GET') return '';
  const isFinal = method === 'DELETE' || (method === 'POST' && requestOf(id).route.cutsOff);
  const effect = isFinal ? 'is done at once, and cannot be undone' : 'is done for real, not on trial';
  return `<span class="effect${isFinal ? ' final' : ''}">“${escapedHtml(summary)}” ${effect}.</span>`;
};

/** The login whose token operations are tried with (`browser/login.js`). */
export const loginForm = (isOpen: boolean): string => `<details id="log-in" class="login"${isOpen ? ' open' : ''}>
<summary><b>Log in to try it</b> <span id="state" class="state" role="status">Without a token.</span></summary>
<form id="credentials" autocomplete="off">
<label>App code <input name="app_code" autocomplete="off" spellcheck="false" required></label>
<label>Secret <input name="secret" type="password" autocomplete="off" required></label>
<button>Log in</button>
</form>
<form id="pasted" autocomplete="off">
<label>or a token <input name="token" type="password" autocomplete="off" spellcheck="false" required></label>
<button>Use token</button>
</form>
<p><button id="forget" type="button" hidden>Forget the token</button></p>
<p class="note">The secret is sent to this API only, and kept nowhere. The token stays in this tab until it expires, \
you forget it, or the tab is closed.</p>
</details>`;
