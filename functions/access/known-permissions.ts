import { Problem, pointer } from '#contract/problem';
import { catalogue } from './catalogue.static.ts';

const known: ReadonlySet<string> = new Set(catalogue.map(({ code }) => code));

/**
 * Checks the field `permissions` of a body.
 * @throws Problem `invalid-body` that points at each unknown code
 */
export function requireKnown(codes: readonly string[] | null): void {
  const errors = (codes ?? []).flatMap((code, index) =>
    known.has(code)
      ? []
      : [
          {
            in: 'body' as const,
            pointer: pointer(['permissions', index]),
            detail: 'is not a permission: GET /api/v1/permissions lists them',
          },
        ],
  );
  if (errors.length > 0) throw new Problem('invalid-body', { errors });
}
