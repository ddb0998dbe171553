import { contracts } from '../../functions/all-contracts.ts';
import type { Footprint } from '../../generate/ceilings/partitions.ts';
import { measureChosen } from '../../generate/data-model/measure.ts';
import { costOf, titleOf } from '../../generate/data-model/play.ts';
import { operations } from '../../test/support/scenario.ts';
import { MIXES } from '../cost/mixes.ts';
import { FLOODED } from './scenarios.ts';

/** An operation as it was recorded. */
export interface Operation {
  readonly title: string;
  /** Method and path: what the stage limits. */
  readonly route: string;
  /** The function that serves it. */
  readonly domain: string;
  readonly roundTrips: number;
  /** Read and write units together. */
  readonly units: number;
  readonly hasTransaction: boolean;
  readonly partitions: Footprint['partitions'];
}

/** Records the operations of all mixes, and the flooded one. */
export async function recordOperations(report: (text: string) => void): Promise<ReadonlyMap<string, Operation>> {
  const titles = new Set([FLOODED, ...MIXES.flatMap(({ shares }) => Object.keys(shares))]);
  const routes = new Set(titles.values().map(routeOf));
  const played = await measureChosen((route) => routes.has(titleOf(route)), report);
  const found = Array.from(titles, (title): [string, Operation] => {
    const one = played.find((each) => each.title === title);
    if (one === undefined) throw new Error(`${title} was not recorded`);
    const { footprint } = one;
    const { roundTrips, readUnits, writeUnits } = costOf(one.calls);
    const route = routeOf(title);
    return [
      title,
      {
        title,
        route,
        domain: domainOf(route),
        roundTrips,
        units: readUnits + writeUnits,
        hasTransaction: footprint.inTransactions.length > 0,
        partitions: footprint.partitions,
      },
    ];
  });
  return new Map(found);
}

/** A title without what tells one request of the route from others. */
const routeOf = (title: string): string => title.replace(/[?,].*/, '');

function domainOf(title: string): string {
  const [operationId = ''] = operations.find(([, route]) => titleOf(route) === title) ?? [];
  const domain = contracts.find(({ routes }) => operationId in routes)?.name;
  if (domain === undefined) throw new Error(`no domain has ${title}`);
  return domain;
}
