import { type Operations, serveCarried } from '#http';
import type { MatchedRoute } from '#http/parts';
import * as respond from '#http/respond';
import { increment } from '#telemetry';
import { isCarried } from './carried.ts';
import type { batch } from './contract.ts';
import { inOrder } from './in-order.ts';
import { AT_ONCE, BEGIN_WITHIN, END_WITHIN } from './limits.ts';
import { type Line, linesOf } from './lines.ts';
import { countsOf, isUndecided, type Result, Results } from './results.ts';

type Tables = readonly ReadonlyMap<string, MatchedRoute>[];

/** @param tables the routes of domains, of which a batch can carry requests to some */
export const batchOperations = (tables: Tables): Operations<typeof batch> => {
  const routes = routesOf(tables);
  return {
    runBatch: async ({ body, query, session, carrier }) => {
      const { event, context, isNdjson, wantsRecords } = carrier;
      const lines = linesOf(body.operations, routes, query.org_id);
      const results = new Results(wantsRecords, event.requestContext.requestId);
      let hasFailed = false;
      const carryOut = async (line: Line): Promise<Result> => {
        const elapsed = session.clock() - session.now;
        if (elapsed >= BEGIN_WITHIN) return results.notAttempted(line);
        const timeLeft = Math.min(context.getRemainingTimeInMillis(), END_WITHIN - elapsed);
        const response = await serveCarried(carrier, { ...line, timeLeft }, session.clock);
        hasFailed ||= response.statusCode >= 500;
        return results.of(line, response);
      };
      const leaveOut = (line: Line): Result => results.notAttempted(line);
      const all = await inOrder(lines, { atOnce: AT_ONCE, carryOut, isUndecided, leaveOut });
      // The gateway, whose 5xx raise alarms, sees a 207.
      if (hasFailed) increment('BatchesFailed');
      return {
        ...respond.text(isNdjson ? linesText(all) : jsonText(all), {
          'Content-Type': isNdjson ? 'application/x-ndjson' : 'application/json',
          ...(wantsRecords ? { 'Preference-Applied': 'return=representation' } : {}),
        }),
        isPartly: all.some(({ status }) => status >= 400),
      };
    },
  };
};

/** By operation id. */
const routesOf = (tables: Tables): ReadonlyMap<string, MatchedRoute> =>
  new Map(
    tables
      .flatMap((table) => [...table.values()])
      .flatMap((matched) => (isCarried(matched.route) ? [[matched.operationId, matched] as const] : [])),
  );

const linesText = (results: readonly Result[]): string => results.map(({ text }) => `${text}\n`).join('');

const jsonText = (results: readonly Result[]): string =>
  `{"results":[${results.map(({ text }) => text).join()}],"counts":${JSON.stringify(countsOf(results))}}`;
