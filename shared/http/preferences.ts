import type { HttpRequest } from './request.ts';

/** `Prefer` (RFC 7240). The first counts where a preference is named twice (§2). */

/** The preference that is honoured (§4.4), as `Preference-Applied` names it. */
export const LENIENT = 'handling=lenient';

/** Most preferences that are read. */
const MOST = 100;

/** Whether the caller wants the parts of a request that can be ignored to be ignored, and the rest carried out. */
export function prefersLenient({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  const preferences = (headers.get('prefer') ?? '').split(',', MOST).map(nameAndValue);
  return preferences.find(([name]) => name === 'handling')?.[1] === 'lenient';
}

/** Without the preference's own parameters. */
function nameAndValue(preference: string): readonly [string, string | undefined] {
  const [name = '', value] = (preference.split(';', 1)[0] ?? '').toLowerCase().split('=', 2);
  return [name.trim(), value?.trim().replace(/^"(.*)"$/, '$1')];
}
