import { randomUUID } from 'node:crypto';
import { keepNewest } from '../../shared/memory.ts';
import { tenantSessions } from '../../shared/table/storage.ts';
import { randomOf } from '../../test/support/random.ts';

const { EARLIEST_RENEWAL, KEPT_SESSIONS, KEPT_TENANTS, LIFETIME, TenantSessions } = tenantSessions;

/** Calls of STS by one busy container, on a simulated clock. */

export const TENANTS = [1, 100, 200, 1_000, 5_000] as const;
export const DISTRIBUTIONS = ['uniform', 'zipf'] as const;
export type Distribution = (typeof DISTRIBUTIONS)[number];

/** Two hours at 20 requests a second. */
const REQUESTS = 2 * 3_600 * 20;
const BETWEEN_MS = 50;

export interface Load {
  readonly tenants: number;
  readonly distribution: Distribution;
}

export interface Simulated extends Load {
  /** AssumeRole, for each request. */
  readonly calls: number;
  /** The same in the second hour, when every tenant had a session before. */
  readonly laterCalls: number;
  /** AssumeRole for a tenant whose last session was not due for renewal: there was no room to keep it, or it was opened twice. */
  readonly needless: number;
  /** The most calls for one tenant. */
  readonly mostOfTenant: number;
  /** Clients made anew, for each request. */
  readonly clients: number;
  /** AssumeRole for each request if only as many sessions were kept as clients. */
  readonly callsWithoutRoom: number;
}

/** Simulates every number of tenants, by either distribution. */
export async function simulateAll(report: (what: string) => void): Promise<Simulated[]> {
  const simulated: Simulated[] = [];
  for (const distribution of DISTRIBUTIONS) {
    for (const tenants of TENANTS) {
      report(`${tenants} tenants, ${distribution}`);
      const { calls: callsWithoutRoom } = await simulate({ tenants, distribution }, KEPT_TENANTS);
      simulated.push({ ...(await simulate({ tenants, distribution }, KEPT_SESSIONS)), callsWithoutRoom });
    }
  }
  return simulated;
}

/** @param room the most sessions that are kept */
async function simulate(load: Load, room: number): Promise<Omit<Simulated, 'callsWithoutRoom'>> {
  const random = randomOf(1, `${load.distribution} ${load.tenants}`);
  const fraction = () => random.below(2 ** 32) / 2 ** 32;
  const tenantOf = tenantsOf(load, fraction);
  let now = 0;
  const opened = new Map<string, number[]>();
  const open = async (tenant: string) => {
    opened.set(tenant, [...(opened.get(tenant) ?? []), now]);
    return { accessKeyId: tenant, secretAccessKey: '', sessionToken: '' };
  };
  const sessions = new TenantSessions({ open, lifetime: LIFETIME * 1000, clock: () => now, random: fraction }, room);
  const clients = new Map<string, true>();
  let newClients = 0;
  for (let request = 0; request < REQUESTS; request++) {
    now += BETWEEN_MS;
    const tenant = tenantOf();
    if (!clients.has(tenant)) newClients += 1;
    keepNewest(clients, tenant, true, KEPT_TENANTS);
    const { accessKeyId } = await sessions.credentialsOf(tenant);
    if (accessKeyId !== tenant) throw new Error('a tenant got the session of another');
  }
  const times = [...opened.values()];
  const calls = times.flat();
  return {
    ...load,
    calls: calls.length / REQUESTS,
    laterCalls: calls.filter((time) => time > now / 2).length / (REQUESTS / 2),
    needless: times.flatMap(tooSoon).length,
    mostOfTenant: Math.max(...times.map(({ length }) => length)),
    clients: newClients / REQUESTS,
  };
}

/** The openings of one tenant that came before the session of the one before was due. */
const tooSoon = (times: readonly number[]): number[] =>
  times.filter((time, index) => index > 0 && time - (times[index - 1] ?? 0) < LIFETIME * 1000 - EARLIEST_RENEWAL);

/** Draws tenants. In a Zipf distribution the nth tenant has a share that is proportional to 1/n. */
function tenantsOf({ tenants, distribution }: Load, fraction: () => number): () => string {
  const ids = Array.from({ length: tenants }, () => randomUUID());
  let sum = 0;
  const ends = ids.map((_, index) => {
    sum += distribution === 'uniform' ? 1 : 1 / (index + 1);
    return sum;
  });
  return () => ids[firstBeyond(ends, fraction() * sum)] as string;
}

/** The index of the first of these rising numbers that is greater than `value`. */
function firstBeyond(rising: readonly number[], value: number): number {
  let [low, high] = [0, rising.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
