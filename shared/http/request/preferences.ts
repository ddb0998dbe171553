import type { HttpRequest } from './http-request.ts';

/** Most preferences that are read. */
const MOST = 100;

/**
 * The value of a preference in `Prefer`, in lower case. The first counts where it is named twice (RFC 7240 §2).
 * @returns undefined where it is not named, or has no value
 */
export const preferenceOf = ({ headers }: Pick<HttpRequest, 'headers'>, name: string): string | undefined =>
  (headers.get('prefer') ?? '')
    .split(',', MOST)
    .map(nameAndValue)
    .find(([named]) => named === name)?.[1];

/** Without the preference's own parameters. */
function nameAndValue(preference: string): readonly [string, string | undefined] {
  const [name = '', value] = (preference.split(';', 1)[0] ?? '').toLowerCase().split('=', 2);
  return [name.trim(), value?.trim().replace(/^"(.*)"$/, '$1')];
}
