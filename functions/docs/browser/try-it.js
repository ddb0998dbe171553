// @ts-check

import { colour } from './colours.js';
import { samplesFor } from './generators.js';
import { curlOf, hmac } from './request.js';
import { code, element, heading, read, shown } from './response.js';
import { api, current, forget, onChange } from './token.js';

/** Tries operations: each has a form in a template (`site/try-it.ts`). */

/** @typedef {import('./request.js').Sent} Sent */
/** @typedef {import('./response.js').Received} Received */

/** Milliseconds; the API responds within 29 seconds. */
const LONGEST = 60_000;

/**
 * Ids in earlier requests and responses, by the names of the variables that stand for them.
 * @type {Map<string, string>}
 */
const known = new Map();

/** @param {HTMLDetailsElement} place */
function open(place) {
  const template = place.querySelector('template');
  if (template === null) return;
  place.append(template.content);
  template.remove();
  addCommonFields(place);
  const form = /** @type {HTMLFormElement} */ (place.querySelector('form'));
  const outcome = element('div', { className: 'outcome' });
  const state = element('p', { className: 'state', role: 'status' });
  place.append(state, outcome);
  fill(form);
  form.addEventListener('input', () => updateSamples(place, form));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(place, form, state, outcome);
  });
}

/** Fields of parameters that many operations have are once on a page. @param {HTMLDetailsElement} place */
function addCommonFields(place) {
  const folded = /** @type {HTMLElement | null} */ (place.querySelector('[data-common]'));
  const fields = /** @type {HTMLTemplateElement | null} */ (document.querySelector('#common-fields'));
  for (const name of folded?.dataset.common?.split(' ') ?? []) {
    const field = fields?.content.querySelector(`label:has([name$=":${name}"])`);
    if (field) folded?.append(field.cloneNode(true));
  }
}

/**
 * The samples send what is in the form. While its body is no JSON, they stay as they are.
 * @param {HTMLDetailsElement} place @param {HTMLFormElement} form
 */
function updateSamples(place, form) {
  const { method = 'GET', path: template = '', auth, returns } = place.dataset;
  const text =
    fieldsOf(form)
      .find(({ name }) => name === 'body')
      ?.value.trim() ?? '';
  const headers = auth === 'signature' ? {} : filledIn(form, 'header');
  try {
    const samples = samplesFor({
      ...{ operationId: place.closest('section')?.id ?? '', method, template, headers },
      path: pathOf(template, form),
      query: filledIn(form, 'query'),
      auth: /** @type {'bearer'} */ (auth),
      returns: /** @type {'json'} */ (returns),
      body: text === '' ? undefined : JSON.parse(withVariables(text, form)),
      isIdempotent: form.querySelector('[data-common~="Idempotency-Key"]') !== null && !('Idempotency-Key' in headers),
    });
    for (const sample of samples) {
      const code = place.parentElement?.querySelector(`.sample[data-language="${sample.language}"] code`);
      if (code?.firstChild === undefined || code.textContent === sample.text) continue;
      code.textContent = sample.text;
      colour(code);
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Ids that are not known are variables. @param {string} template @param {HTMLFormElement} form */
const pathOf = (template, form) =>
  template.replace(/\{(\w+)\}/g, (_, name) => {
    const field = fieldsOf(form).find((each) => each.name === `path:${name}`);
    const value = field?.value.trim() ?? '';
    return value === '' ? `{{${field?.dataset.variable ?? name}}}` : encodeURIComponent(value);
  });

/** `CLIENT_ID` in a body, which stands for an id that is not known. @param {string} text @param {HTMLFormElement} form */
function withVariables(text, form) {
  const example = fieldsOf(form).find(({ name }) => name === 'body')?.defaultValue ?? '';
  const variables = Array.from(example.matchAll(/\{\{(\w+)\}\}/g), ([, name = '']) => name);
  return variables.reduce((rest, name) => rest.replaceAll(`"${name.toUpperCase()}"`, `"{{${name}}}"`), text);
}

/** Values by name. @param {HTMLFormElement} form @param {string} kind */
const filledIn = (form, kind) =>
  Object.fromEntries(
    fieldsOf(form)
      .filter(({ name, value }) => name.startsWith(`${kind}:`) && value.trim() !== '')
      .map(({ name, value, dataset }) => [
        name.slice(kind.length + 1),
        dataset.json === 'true' ? JSON.parse(value) : valuesIn(value, dataset.repeated === 'true').join(','),
      ]),
  );

/** What was filled in last, by field. @type {WeakMap<Element, string>} */
const filled = new WeakMap();

/** Puts in what is known by now, where the reader has not written anything. @param {HTMLFormElement} form */
function fill(form) {
  for (const field of fieldsOf(form)) {
    const value = valueFor(field);
    if (value === undefined || field.value !== (filled.get(field) ?? field.defaultValue)) continue;
    field.value = value;
    filled.set(field, value);
  }
}

/** What to fill in; undefined: nothing. @param {HTMLInputElement} field */
function valueFor({ name, defaultValue, dataset: { variable, fill } }) {
  if (name === 'body') return withKnown(defaultValue);
  if (fill === 'uuid') return crypto.randomUUID();
  return variable === undefined ? undefined : known.get(variable);
}

/** @param {string} text */
const withKnown = (text) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => known.get(name) ?? String(name).toUpperCase());

/** @param {HTMLFormElement} form */
const fieldsOf = (form) =>
  /** @type {HTMLInputElement[]} */ (Array.from(form.elements).filter((field) => 'name' in field && field.name !== ''));

/** @param {string} text @param {boolean} isRepeated whether each line is a value */
const valuesIn = (text, isRepeated) =>
  (isRepeated ? text.split('\n') : [text]).map((each) => each.trim()).filter((each) => each !== '');

/**
 * The request of a form. Fields that are empty are not sent.
 * @param {HTMLDetailsElement} place
 * @param {HTMLFormElement} form
 * @returns {Promise<Sent>}
 */
async function requestOf(place, form) {
  const { method = 'GET', path = '', auth } = place.dataset;
  const fields = fieldsOf(form).filter(({ value }) => value.trim() !== '');
  /** @param {string} kind */
  const given = (kind) =>
    fields
      .filter(({ name }) => name.startsWith(`${kind}:`))
      .flatMap(({ name, value, dataset }) =>
        valuesIn(value, dataset.repeated === 'true').map((each) => [name.slice(kind.length + 1), each]),
      );
  const address = given('path').reduce(
    (rest, [name, value]) => rest.replace(`{${name}}`, () => encodeURIComponent(value ?? '')),
    `${api.replace(/\/api\/v1$/, '')}${path}`,
  );
  const query = new URLSearchParams(given('query'));
  /** @type {Record<string, string>} */
  const headers = Object.fromEntries(given('header'));
  const body = fields.find(({ name }) => name === 'body')?.value;
  const secret = fields.find(({ name }) => name === 'secret')?.value.trim();
  const token = current()?.token;
  if (auth === 'bearer' && token !== undefined) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (secret !== undefined) headers['X-Signature'] = await hmac(secret, body ?? '');
  return { method, url: `${address}${query.size === 0 ? '' : `?${query}`}`, headers, body };
}

/**
 * @param {HTMLDetailsElement} place
 * @param {HTMLFormElement} form
 * @param {HTMLElement} state
 * @param {HTMLElement} outcome
 */
async function send(place, form, state, outcome) {
  // A second click sends nothing twice.
  if (place.ariaBusy === 'true') return;
  place.ariaBusy = 'true';
  const stop = new AbortController();
  const stopButton = element('button', { type: 'button', className: 'plain', textContent: 'Stop' });
  stopButton.addEventListener('click', () => stop.abort());
  state.className = 'state';
  state.replaceChildren('Sending … ', stopButton);
  outcome.replaceChildren();
  try {
    const request = await requestOf(place, form);
    outcome.append(heading('Sent'), code(curlOf(withoutSecrets(request))));
    const begun = performance.now();
    const { url, ...init } = request;
    const response = await fetch(url, {
      ...init,
      body: request.body ?? null,
      cache: 'no-store',
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(LONGEST)]),
    });
    const received = await read(response);
    const milliseconds = Math.round(performance.now() - begun);
    const { status, statusText, ok } = response;
    state.textContent = `${status} ${statusText} · ${milliseconds} ms · ${received.bytes.toLocaleString('en')} bytes`;
    state.classList.toggle('wrong', !ok && status !== 304);
    outcome.prepend(...shown(response, received));
    if (ok) remember(place, form, received);
    if (status === 401 && request.headers.Authorization !== undefined)
      forget('The API has refused the token: it has expired or was revoked. Log in again.');
  } catch (error) {
    state.textContent = stop.signal.aborted
      ? 'Stopped. The API may have carried out the request.'
      : `There was no response: ${error}.`;
    state.classList.add('wrong');
  } finally {
    place.ariaBusy = null;
  }
}

/** The token and secrets are not in what people copy and pass on. @param {Sent} request @returns {Sent} */
function withoutSecrets({ headers: { Authorization, ...headers }, body, ...request }) {
  return {
    ...request,
    headers: { ...(Authorization === undefined ? {} : { Authorization: 'Bearer $TOKEN' }), ...headers },
    body: body?.replace(/("secret"\s*:\s*)"(?:[^"\\]|\\.)*"/g, '$1"…"'),
  };
}

/**
 * Keeps ids for the next forms.
 * @param {HTMLDetailsElement} place
 * @param {HTMLFormElement} form
 * @param {Received} received
 */
function remember(place, form, { text, isWhole }) {
  for (const { dataset, value } of fieldsOf(form))
    if (dataset.variable !== undefined && value !== '') known.set(dataset.variable, value.trim());
  const leaves = Object.entries(JSON.parse(place.dataset.leaves ?? '{}'));
  if (leaves.length > 0 && isWhole) {
    const body = JSON.parse(text);
    for (const [variable, path] of leaves) {
      const value = String(path)
        .split(/[.[\]]+/)
        .reduce((at, key) => at?.[key], body);
      if (typeof value === 'string') known.set(variable, value);
    }
  }
  for (const other of document.querySelectorAll('.try-it form'))
    if (other !== form) fill(/** @type {HTMLFormElement} */ (other));
}

/** Forms say so where a token is missing. @param {HTMLDetailsElement} place */
function hint(place) {
  const { appCode } = current() ?? {};
  if (appCode !== undefined) known.set('app_code', appCode);
  const line = place.querySelector('.token-missing');
  if (line instanceof HTMLElement) line.hidden = current() !== undefined;
}

const places = /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll('.try-it'));
for (const place of places) {
  place.hidden = false;
  place.addEventListener('toggle', () => {
    open(place);
    hint(place);
  });
}
onChange(() => places.forEach(hint));
