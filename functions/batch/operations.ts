import { batchedRequests, type MatchedRoute, type Operations, respond } from '#http';
import { increment } from '#telemetry';
import { isBatchable } from './batchable.ts';
import { batch } from './contract.ts';
import { inOrder } from './in-order.ts';
import { AT_ONCE, BEGIN_WITHIN, END_WITHIN } from './limits.ts';
import { type Line, linesOf } from './lines.ts';
import { countsOf, type Result, Results } from './results.ts';
import { Waves } from './waves.ts';

type Tables = readonly ReadonlyMap<string, MatchedRoute>[];

/** @param tables the routes of domains, of which a batch takes requests to some */
export const batchOperations = (tables: Tables): Operations<typeof batch> => {
  const routes = routesOf(tables);
  return {
    runBatch: async ({ body, query, session, caller, batchRequest }) => {
      const { event, context, isNdjson, wantsRecords } = batchRequest;
      const lines = linesOf(body.operations, routes, query.org_id);
      /** Those that have not begun. */
      const left = Map.groupBy(lines, ({ list }) => list);
      const ofTenant = lines.filter((line) => line.query.org_id === query.org_id);
      const shared = session.share(ofTenant.flatMap(({ headers }) => headers['Idempotency-Key'] ?? []));
      const serve = batchedRequests(batchRequest, { caller, session });
      const results = new Results(wantsRecords, event.requestContext.requestId);
      const waves = new Waves(caller, session);
      let hasFailed = false;
      /** In seconds, once the request budget is spent. */
      let retryAfter: number | undefined;
      const carryOut = async (line: Line): Promise<Result> => {
        const elapsed = session.clock() - session.now;
        if (elapsed >= BEGIN_WITHIN || retryAfter !== undefined) return results.notAttempted(line, retryAfter);
        const ended = await waves.refusal();
        if (ended !== undefined) {
          hasFailed ||= ended.status >= 500;
          return results.refused(line, ended);
        }
        const timeLeft = Math.min(context.getRemainingTimeInMillis(), END_WITHIN - elapsed);
        const alike = left.get(line.list) ?? [];
        const batch = { shared, left: alike.length };
        alike.pop();
        const { response, isFailure } = await serve({ ...line, timeLeft, batch });
        hasFailed ||= isFailure;
        if (response.statusCode === TOO_MANY) retryAfter = Number(response.headers?.['Retry-After']);
        return results.of(line, response);
      };
      const isUndecided = (result: Result): boolean => result.isUndecided;
      const leaveOut = (line: Line): Result => results.notAttempted(line, retryAfter);
      const carrying = inOrder(lines, { atOnce: AT_ONCE, carryOut, isUndecided, leaveOut });
      const all = await carrying.finally(() => shared.end());
      // Its own status is 207.
      if (hasFailed) increment('RequestsFailed');
      return {
        ...respond.text(isNdjson ? linesText(all) : jsonText(all), {
          'Content-Type': isNdjson ? 'application/x-ndjson' : 'application/json',
          ...(wantsRecords ? { 'Preference-Applied': 'return=representation' } : {}),
        }),
        ...(all.some(({ status }) => status >= 400) && { status: batch.routes.runBatch.batch.partly.status }),
      };
    },
  };
};

/** The status of an operation that the request budget has no room for. The same budget is that of the others. */
const TOO_MANY = 429;

/** By operation id. */
const routesOf = (tables: Tables): ReadonlyMap<string, MatchedRoute> =>
  new Map(
    tables
      .flatMap((table) => [...table.values()])
      .flatMap((matched) => (isBatchable(matched.route) ? [[matched.operationId, matched] as const] : [])),
  );

const linesText = (results: readonly Result[]): string => results.map(({ text }) => `${text}\n`).join('');

const jsonText = (results: readonly Result[]): string =>
  `{"results":[${results.map(({ text }) => text).join()}],"counts":${JSON.stringify(countsOf(results))}}`;
