import { tenantSessions } from '../../shared/table/storage.ts';
import { median } from '../statistics.ts';
import { callOf, emptyContainer, newTenants, startContainer } from './container.ts';

const { KEPT_TENANTS } = tenantSessions;

/** Microseconds of CPU time of a tenant's first `GetItem` in a request, by what the container kept of the tenant. */
export interface Misses {
  /** Client and session. */
  readonly hit: number;
  /** Only the session. */
  readonly clientAnew: number;
  /** Nothing. */
  readonly sessionAnew: number;
}

/** Measures in turns of twice as many tenants as have room for their clients, so that each finds its client evicted. */
export async function measureMisses(turns: number, report: (what: string) => void): Promise<Misses> {
  const stop = await startContainer();
  try {
    const measured: Misses[] = [];
    for (let turn = 0; turn <= turns; turn++) {
      report(`misses, ${turn} of ${turns}`);
      emptyContainer();
      const tenants = newTenants(2 * KEPT_TENANTS);
      const kept = tenants.slice(-KEPT_TENANTS / 2);
      const sessionAnew = await cpuOfEach(tenants, callOf);
      const clientAnew = await cpuOfEach(tenants, callOf);
      measured.push({ sessionAnew, clientAnew, hit: await cpuOfEach(kept, callOf) });
    }
    // The first turn compiles.
    const of = (one: (misses: Misses) => number) => median(measured.slice(1).map(one));
    return {
      hit: of(({ hit }) => hit),
      clientAnew: of((each) => each.clientAnew),
      sessionAnew: of((each) => each.sessionAnew),
    };
  } finally {
    stop();
  }
}

async function cpuOfEach<T>(of: readonly T[], work: (each: T) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (const each of of) await work(each);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / of.length;
}
