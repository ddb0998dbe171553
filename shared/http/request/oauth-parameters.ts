import { Problem, type Route } from '#contract';
import { isObject } from '../../well-formed.ts';
import { bodyTextOf, type HttpRequest, isForm, jsonIn } from './http-request.ts';

/**
 * The parameters of an endpoint of OAuth (RFC 6749 §3.2), in a form or in JSON: those that its route knows, without
 * those that have no value.
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export function oauthParameters(route: Route, request: Pick<HttpRequest, 'headers' | 'bytes'>): unknown {
  const text = bodyTextOf(route, request);
  const known = Object.keys(route.body?.schema.shape ?? {});
  const given = isForm(request) ? formIn(text, known) : jsonIn(text);
  // Refused later.
  if (!isObject(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => known.includes(name) && value !== ''));
}

/** Unknown parameters may be repeated, as RFC 8693 §2.1 does with some. */
function formIn(text: string, known: readonly string[]): Record<string, string> {
  const form = new URLSearchParams(text);
  const twice = known.find((name) => form.getAll(name).length > 1);
  if (twice !== undefined) throw new Problem('malformed-request', { detail: `${twice} is given twice.` });
  return Object.fromEntries(form);
}
