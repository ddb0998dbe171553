// @ts-check

/**
 * The token that operations are tried with. It is in the session storage of this tab, so that it survives a reload and
 * ends with the tab, until it expires or is forgotten.
 */

/**
 * @typedef {{ token: string, endsAt: number, appCode?: string | undefined }} Kept `endsAt`: in milliseconds since 1970
 */

export const api = new URL('..', location.href).href.replace(/\/$/, '');

/** Stages may have the same origin. */
const KEY = `custodia-token ${api}`;

/** Where the browser allows no storage, the token lasts as long as the page. @type {Kept | undefined} */
let kept = stored();

/** @type {((why?: string) => void)[]} */
const listeners = [];

/** @type {ReturnType<typeof setTimeout> | undefined} */
let ending;

/** @returns {Kept | undefined} */
function stored() {
  try {
    const { token, endsAt, appCode } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    return typeof token === 'string' && typeof endsAt === 'number' ? { token, endsAt, appCode } : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Kept | undefined} next @param {string} [why] */
function replace(next, why) {
  kept = next;
  try {
    if (next === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // No storage.
  }
  watch();
  for (const listener of listeners) listener(why);
}

/** Timers stop while a machine sleeps, so each use looks at the clock as well. */
function watch() {
  clearTimeout(ending);
  if (kept !== undefined) ending = setTimeout(current, Math.min(kept.endsAt - Date.now(), 2 ** 31 - 1));
}

/** The token that is valid now. An expired one is dropped. */
export function current() {
  if (kept !== undefined && kept.endsAt <= Date.now()) replace(undefined, 'The token has expired. Log in again.');
  return kept;
}

/** @param {Kept} next */
export const keep = (next) => replace(next);

/** @param {string} [why] */
export const forget = (why) => replace(undefined, why);

/**
 * Calls this whenever the token has changed, with the reason where it was dropped.
 * @param {(why?: string) => void} listener
 */
export const onChange = (listener) => listeners.push(listener);

watch();
document.addEventListener('visibilitychange', current);
