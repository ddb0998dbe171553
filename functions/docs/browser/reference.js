// @ts-check

/** The reference: shows RapiDoc and gives it a token. The token is in this page's memory and nowhere else. */

/** The security scheme of the OpenAPI document that takes tokens. */
const SCHEME = 'bearerAuth';

/** Too narrow for a list of operations beside the current one. */
const isNarrow = matchMedia('(max-width: 48rem)').matches;

/** @typedef {HTMLElement & { setApiKey(scheme: string, token: string): boolean, removeAllSecurityKeys(): boolean, loadSpec(document: object): Promise<void> }} RapiDoc */

const api = new URL('..', location.href).href.replace(/\/$/, '');
const explorer = /** @type {RapiDoc} */ (document.createElement('rapi-doc'));
const place = /** @type {HTMLElement} */ (document.querySelector('#explorer'));
const login = /** @type {HTMLDetailsElement} */ (document.querySelector('#login'));
const state = /** @type {HTMLElement} */ (document.querySelector('#state'));
const forget = /** @type {HTMLButtonElement} */ (document.querySelector('#forget'));
const dark = matchMedia('(prefers-color-scheme: dark)');

/** The colours of `site.css`. */
const COLOURS = {
  light: {
    theme: 'light',
    'bg-color': '#ffffff',
    'nav-bg-color': '#f3f7f6',
    'nav-text-color': '#1d2b2a',
    'primary-color': '#0b6e69',
    'text-color': '#1d2b2a',
  },
  dark: {
    theme: 'dark',
    'bg-color': '#121918',
    'nav-bg-color': '#1b2524',
    'nav-text-color': '#e4ecea',
    'primary-color': '#5cc8bf',
    'text-color': '#e4ecea',
  },
};

/** The attributes of RapiDoc that differ from its defaults: https://rapidocweb.com/api.html */
const ATTRIBUTES = {
  'allow-authentication': 'false',
  'allow-server-selection': 'false',
  'load-fonts': 'false',
  'mono-font': 'ui-monospace, monospace',
  'regular-font': 'system-ui, sans-serif',
  'render-style': isNarrow ? 'view' : 'focused',
  'schema-style': 'table',
  'server-url': api.replace(/\/api\/v1$/, ''),
  'show-header': 'false',
};

/** @param {Readonly<Record<string, string>>} attributes */
const set = (attributes) => {
  for (const [name, value] of Object.entries(attributes)) explorer.setAttribute(name, value);
};
const colour = () => set(dark.matches ? COLOURS.dark : COLOURS.light);

/** @type {string | undefined} */
let token;

/** RapiDoc accepts a token only after it has read the document; until then it is kept here. */
function authorize() {
  if (token !== undefined && !place.ariaBusy) explorer.setApiKey(SCHEME, token);
  forget.hidden = token === undefined;
}

/** @param {string} given */
function use(given) {
  token = given;
  authorize();
}

/**
 * RapiDoc fills fields with their examples. That helps for required fields, but not for optional filters and
 * conditions. For bodies it reads only `examples`, and it fails on an `example` that contains null.
 * @param {unknown} node
 */
function prepare(node) {
  if (typeof node !== 'object' || node === null) return;
  const given = /** @type {Record<string, unknown>} */ (node);
  // A field error in an example also has `in`, and is no parameter.
  const isParameter = given.in !== undefined && given.schema !== undefined;
  if (isParameter && given.required !== true) given['x-fill-example'] = 'no';
  if (!isParameter && given.schema !== undefined && given.example !== undefined) {
    given.examples = { Example: { value: given.example } };
    delete given.example;
  }
  for (const member of Object.values(given)) prepare(member);
}

/** RapiDoc's list of operations has no ARIA roles; and where operations are stacked, only the mouse opens one. */
function openToKeyboard() {
  /** @param {string} selector @returns {HTMLElement[]} */
  const all = (selector) => Array.from(explorer.shadowRoot?.querySelectorAll(selector) ?? []);
  for (const link of all('.nav-bar-path')) link.role = 'link';
  for (const head of all('.endpoint-head')) {
    head.role = 'button';
    head.tabIndex = 0;
    head.addEventListener('keydown', (event) => {
      if (event.target !== head || !['Enter', ' '].includes(event.key)) return;
      event.preventDefault();
      head.click();
    });
  }
}

async function show() {
  const response = await fetch(`${api}/openapi`);
  if (!response.ok) throw new Error(`the request for the OpenAPI document returned ${response.status}`);
  const { paths, components, info, ...rest } = await response.json();
  prepare([paths, components.parameters, components.requestBodies, components.responses]);
  const { title, version, description } = info;
  await customElements.whenDefined(explorer.localName);
  await explorer.loadSpec({ ...rest, paths, components, info: { title, version, description } });
}

/** @param {string} text @param {boolean} [isWrong] */
function say(text, isWrong = false) {
  state.textContent = text;
  state.classList.toggle('wrong', isWrong);
}

/** @param {string} id @param {(fields: FormData) => void | Promise<void>} act */
function onSubmit(id, act) {
  const form = /** @type {HTMLFormElement} */ (document.getElementById(id));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    form.reset();
    await act(fields);
  });
}

onSubmit('credentials', async (fields) => {
  say('Logging in …');
  try {
    const response = await fetch(`${api}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(fields)),
    });
    const reply = await response.json();
    if (!response.ok) return say(`${reply.title}${reply.detail ? `: ${reply.detail}` : ''}.`, true);
    use(reply.access_token);
    say(`Logged in as ${fields.get('app_code')} for ${Math.round(reply.expires_in / 60)} minutes.`);
  } catch (error) {
    say(`There was no response: ${error}.`, true);
  }
});

onSubmit('pasted', (fields) => {
  use(
    String(fields.get('token'))
      .trim()
      .replace(/^Bearer\s+/i, ''),
  );
  say('The token is sent with each request that you try.');
});

forget.addEventListener('click', () => {
  explorer.removeAllSecurityKeys();
  token = undefined;
  authorize();
  say('Without a token.');
});

dark.addEventListener('change', colour);
set(ATTRIBUTES);
colour();
explorer.addEventListener('spec-loaded', () => {
  place.querySelector('.loading')?.remove();
  place.ariaBusy = null;
  openToKeyboard();
  authorize();
});
place.append(explorer);
login.open = !isNarrow;
show().catch((error) => {
  place.ariaBusy = null;
  place.replaceChildren(
    Object.assign(document.createElement('p'), {
      className: 'loading',
      textContent: `The reference cannot be shown: ${error}.`,
    }),
  );
});
