import type { HttpRequest } from './request.ts';

/** `Prefer` (RFC 7240). Of a preference that is named twice the first counts (§2). */

/** The preference that is honoured (§4.4), as `Preference-Applied` names it. */
export const LENIENT = 'handling=lenient';

/** Of more preferences the rest is not read. */
const MOST = 100;

/** Whether the caller prefers a request to be carried out in spite of what can be ignored in it. */
export function prefersLenient({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  const preferences = (headers.get('prefer') ?? '').split(',', MOST).map(nameAndValue);
  return preferences.find(([name]) => name === 'handling')?.[1] === 'lenient';
}

/** Without the preference's own parameters. */
function nameAndValue(preference: string): readonly [string, string | undefined] {
  const [name = '', value] = (preference.split(';', 1)[0] ?? '').toLowerCase().split('=', 2);
  return [name.trim(), value?.trim().replace(/^"(.*)"$/, '$1')];
}
