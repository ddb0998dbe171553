// @ts-check

import { api, current, forget, keep, onChange } from './token.js';

/** The login of the reference. A failed one leaves the form as it is. */

const state = /** @type {HTMLElement} */ (document.querySelector('#state'));
const forgetButton = /** @type {HTMLButtonElement} */ (document.querySelector('#forget'));

/** Links to the login open it. */
const login = /** @type {HTMLDetailsElement} */ (document.querySelector('#log-in'));
if (location.hash === '#log-in') login.open = true;
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('a[href="#log-in"]') !== null) login.open = true;
});

/** @param {string} text @param {boolean} [isWrong] */
function say(text, isWrong = false) {
  state.textContent = text;
  state.classList.toggle('wrong', isWrong);
}

/** @param {string} [why] why there is no token any more */
function show(why) {
  const kept = current();
  forgetButton.hidden = kept === undefined;
  if (kept === undefined) return say(why ?? 'Without a token.', why !== undefined);
  const until = new Date(kept.endsAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  say(`${kept.appCode === undefined ? 'The token is valid' : `Logged in as ${kept.appCode}`} until ${until}.`);
}

/** @param {string} id @param {(form: HTMLFormElement) => void | Promise<void>} act */
function onSubmit(id, act) {
  const form = /** @type {HTMLFormElement} */ (document.getElementById(id));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void act(form);
  });
}

/** @param {HTMLFormElement} form @param {string} name */
const fieldOf = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** What a problem says (RFC 9457). @param {Response} response */
async function reasonIn(response) {
  const problem = await response.json().catch(() => ({}));
  /** @type {{ pointer: string, detail: string }[]} */
  const errors = problem.errors ?? [];
  const sentences = [
    problem.title ?? `The response was ${response.status}`,
    problem.detail,
    ...errors.map(({ pointer, detail }) => `${pointer.replace(/^#?\//, '')} ${detail}`),
    response.headers.has('Retry-After') ? `Try again in ${response.headers.get('Retry-After')} seconds` : undefined,
  ];
  return sentences
    .filter((sentence) => sentence !== undefined)
    .map((sentence) => sentence.replace(/\.?$/, '.'))
    .join(' ');
}

onSubmit('credentials', async (form) => {
  const appCode = fieldOf(form, 'app_code').value.trim();
  const secret = fieldOf(form, 'secret');
  say('Logging in …');
  try {
    const response = await fetch(`${api}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ app_code: appCode, secret: secret.value.trim() }),
    });
    if (!response.ok) return say(await reasonIn(response), true);
    const { access_token, expires_in } = await response.json();
    secret.value = '';
    keep({ token: access_token, endsAt: Date.now() + expires_in * 1_000, appCode });
  } catch (error) {
    say(`There was no response: ${error}.`, true);
  }
});

/** The end of a token, in milliseconds since 1970; undefined where the text is no token. @param {string} token */
function endOf(token) {
  try {
    const [, payload = ''] = token.split('.');
    const { exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof exp === 'number' ? exp * 1_000 : undefined;
  } catch {
    return undefined;
  }
}

onSubmit('pasted', (form) => {
  const field = fieldOf(form, 'token');
  const token = field.value.trim().replace(/^Bearer\s+/i, '');
  const endsAt = endOf(token);
  if (endsAt === undefined) return say('This is not a token: a login returns it as access_token.', true);
  if (endsAt <= Date.now()) return say('This token has expired. Log in again.', true);
  field.value = '';
  keep({ token, endsAt });
});

forgetButton.addEventListener('click', () => forget());
onChange(show);
// One that has expired is dropped, which is said by then.
if (current() !== undefined) show();
