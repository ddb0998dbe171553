import { Problem, pointer, takesHeader } from '#contract';
import type { MatchedRoute } from '#http';
import { MAX_PARAMETER, MOST_PARAMETERS } from './limits.ts';
import { namesOf } from './names.ts';

/** An operation of a batch as it was sent. */
interface Sent {
  readonly key: string;
  readonly operation: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly if_match?: string | undefined;
}

/** An operation of a batch, ready to be sent to its route. */
export interface Line {
  readonly key: string;
  /** Its number in the batch, counted from 1. */
  readonly line: number;
  readonly matched: MatchedRoute;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, with its numbers as they were written. */
  readonly body: string | null;
  /** Operations that create records in one list have it in common. */
  readonly list: string;
  /** Operations with a name in common are carried out in their order. */
  readonly names: readonly string[];
}

/**
 * The operations of a batch. Checks the batch itself; what the route of an operation refuses becomes its result.
 * @param routes by operation id, of the operations that a batch may have
 * @param orgId the organization to work in, where the batch names one and the operation none
 * @throws Problem `invalid-body`: nothing is carried out then
 */
export function linesOf(
  operations: readonly Sent[],
  routes: ReadonlyMap<string, MatchedRoute>,
  orgId: string | undefined,
): readonly Line[] {
  // The schema of the body knows the operations.
  const all = operations.map((sent) => ({ sent, matched: routes.get(sent.operation) as MatchedRoute }));
  const keys = new Set<string>();
  const errors = all.flatMap(({ sent, matched }, index) => {
    const isRepeated = keys.has(sent.key);
    keys.add(sent.key);
    return errorsOf(sent, index, matched, isRepeated);
  });
  if (errors.length > 0) throw new Problem('invalid-body', { errors });
  return all.map(({ sent, matched }, index) => lineOf(sent, index, matched, orgId));
}

function errorsOf(
  { params = {}, body, if_match }: Sent,
  index: number,
  { route, operationId }: MatchedRoute,
  isRepeated: boolean,
): Problem['errors'][number][] {
  const error = (path: readonly string[], detail: string): Problem['errors'][number] => ({
    in: 'body',
    pointer: pointer(['operations', index, ...path]),
    detail,
  });
  return [
    ...(isRepeated ? [error(['key'], 'is the key of an earlier operation, too')] : []),
    ...(Object.keys(params).length > MOST_PARAMETERS
      ? [error(['params'], `must have at most ${MOST_PARAMETERS} members`)]
      : Object.entries(params).flatMap(([name, value]) =>
          isParameter(value) ? [] : [error(['params', name], A_PARAMETER)],
        )),
    ...(body !== undefined && route.body === undefined ? [error(['body'], `is not taken by ${operationId}`)] : []),
    ...(if_match !== undefined && !takesHeader(route, 'If-Match')
      ? [error(['if_match'], `is not taken by ${operationId}`)]
      : []),
  ];
}

const A_PARAMETER = `must be a string of at most ${MAX_PARAMETER} characters`;

const isParameter = (value: unknown): boolean => typeof value === 'string' && Array.from(value).length <= MAX_PARAMETER;

function lineOf(
  { key, params = {}, body, if_match }: Sent,
  index: number,
  matched: MatchedRoute,
  orgId: string | undefined,
): Line {
  const { route } = matched;
  const given = Object.entries(params).map(([name, value]) => [name, String(value)] as const);
  const { inPath = [], inQuery = [] } = Object.groupBy(given, ([name]) =>
    Object.hasOwn(route.params.shape, name) ? 'inPath' : 'inQuery',
  );
  const query: Line['query'] = { ...(orgId === undefined ? {} : { org_id: orgId }), ...Object.fromEntries(inQuery) };
  return {
    key,
    line: index + 1,
    matched,
    list: JSON.stringify([matched.operationId, inPath, query.org_id]),
    params: Object.fromEntries(inPath),
    query,
    headers: {
      ...(takesHeader(route, 'Idempotency-Key') ? { 'Idempotency-Key': key } : {}),
      ...(if_match === undefined ? {} : { 'If-Match': if_match }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    names: namesOf({ route, params: Object.fromEntries(given), body: body ?? {} }),
  };
}
