import { setTimeout as sleep } from 'node:timers/promises';
import type { JWK } from 'jose';
import { environmentTargets, outbound } from '#outbound';
import type { Tenant } from '#table';
import { logger } from '#telemetry';
import { ProviderKeyStore } from '#tenancy';
import { CLOCKS_DIFFER_MS } from '../../clock.ts';
import { keepNewest } from '../../memory.ts';
import { FetchFailed, fetchKeys } from './discovery.ts';
import type { IdentityProvider } from './provider.ts';
import { SubjectTokenRefused } from './refused.ts';

/** In milliseconds. */
const TIMES = {
  /** How long keys are used before they are looked up again. */
  fresh: 10 * 60_000,
  /** How long they are used when they cannot be fetched. */
  stale: 24 * 60 * 60_000,
  /** From one attempt to the next. */
  pause: 30_000,
  /** For each of the two calls of an attempt. */
  call: 3_000,
  /** After which an attempt without an end was cut off. */
  attempt: 8_000,
  /** Between two looks at an attempt of another container. */
  look: 250,
} as const;

/** What a container knows of a provider. Times are in epoch milliseconds, by the table's clock. */
interface Known {
  /** Undefined: none were fetched in the last day. */
  readonly keys: readonly JWK[] | undefined;
  readonly fetchedAt: number;
  /** Before that, nobody fetches, so the table has nothing new either. */
  readonly nextAttempt: number;
}

/** Those of the providers that were used last: 64 KB each at most. */
const known = new Map<string, Known>();
const MOST_PROVIDERS = 100;

/** The keys with which a token may be signed that names this one, or none. */
export type KeysOf = (kid: string | undefined) => Promise<readonly JWK[]>;

interface Ports {
  readonly send: ReturnType<typeof outbound>;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

const environmentPorts = (): Ports => ({
  send: outbound({ targets: environmentTargets(), timeout: TIMES.call }),
  wait: sleep,
});

/**
 * The keys of an identity provider: those that the container knows, or else those in the table, or else those that the
 * provider publishes. They are looked up again after ten minutes, or for a key that is not among them.
 *
 * **All containers together fetch at most once in 30 seconds**, also when that fails: whoever fetches claims the
 * attempt first. Only this request waits for the provider, six seconds at most. All others go on with the keys of the
 * table, which are used for 24 hours; only where there are none do they wait for that attempt. A flood of tokens with
 * unknown keys costs, in 30 seconds, one attempt (two writes, two calls of the provider) for all, one read for each
 * container, and one read for each token while that attempt is under way.
 *
 * Times are by the clock of the table, because those of containers differ.
 * @throws SubjectTokenRefused `keys-unavailable` by what it returns
 */
export const keysOfProvider =
  (tenant: Tenant, provider: Pick<IdentityProvider, 'id' | 'issuer'>, ports = environmentPorts()): KeysOf =>
  async (kid) => {
    const name = `${tenant.id} ${provider.id}`;
    const kept = known.get(name);
    const isKept = kept !== undefined && isEnough(kept, kid, tenant.serverTime);
    const found = isKept ? kept : await lookUp(tenant, provider, kid, ports);
    if (!isKept) keepNewest(known, name, found, MOST_PROVIDERS);
    if (found.keys === undefined) throw new SubjectTokenRefused('keys-unavailable');
    return found.keys;
  };

/** Whether no look at the table could change what is known for a token that names this key. */
const isEnough = ({ keys, fetchedAt, nextAttempt }: Known, kid: string | undefined, now: number): boolean =>
  now < nextAttempt ? keys === undefined || now < fetchedAt + TIMES.stale : isFresh(fetchedAt, now) && has(keys, kid);

/** A time in the future is of a wrong clock. */
const isRecent = (time: number, within: number, now: number): boolean =>
  time <= now + CLOCKS_DIFFER_MS && now < time + within;

const isFresh = (fetchedAt: number, now: number): boolean => isRecent(fetchedAt, TIMES.fresh, now);

const has = (keys: readonly JWK[] = [], kid: string | undefined): boolean =>
  keys.length > 0 && (kid === undefined || keys.some((key) => key.kid === kid));

async function lookUp(
  tenant: Tenant,
  provider: Pick<IdentityProvider, 'id' | 'issuer'>,
  kid: string | undefined,
  ports: Ports,
): Promise<Known> {
  const store = new ProviderKeyStore(tenant, provider.id);
  for (;;) {
    const found = await store.read();
    const now = tenant.serverTime;
    const seen = knownOf(found, now);
    if (isRecent(found?.attempted_at ?? 0, TIMES.pause, now)) {
      if (seen.keys !== undefined || seen.nextAttempt > 0) return seen;
      await ports.wait(TIMES.look);
    } else if (isFresh(seen.fetchedAt, now) && has(seen.keys, kid)) return seen;
    else if (await store.begin(now)) return attempt(store, provider.issuer, { seen, now }, ports);
  }
}

type Stored = Partial<NonNullable<Awaited<ReturnType<ProviderKeyStore['read']>>>>;

function knownOf({ attempted_at = 0, fetched_at = 0, outcome, keys }: Stored = {}, now: number): Known {
  const isOver = outcome !== undefined || !isRecent(attempted_at, TIMES.attempt, now);
  const isUsable = keys !== undefined && isRecent(fetched_at, TIMES.stale, now);
  return {
    keys: isUsable ? (JSON.parse(keys) as readonly JWK[]) : undefined,
    fetchedAt: fetched_at,
    nextAttempt: isOver && isRecent(attempted_at, TIMES.pause, now) ? attempted_at + TIMES.pause : 0,
  };
}

/** Fetches the keys in an attempt that was claimed at this time. */
async function attempt(
  store: ProviderKeyStore,
  issuer: string,
  { seen, now }: { readonly seen: Known; readonly now: number },
  { send }: Ports,
): Promise<Known> {
  const nextAttempt = now + TIMES.pause;
  try {
    const keys = await fetchKeys(issuer, send);
    await store.end(now, { outcome: 'fetched', keys: JSON.stringify(keys), fetched_at: now });
    return { keys, fetchedAt: now, nextAttempt };
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    logger.warn('the keys of an identity provider could not be fetched', { error });
    await store.end(now, { outcome: error.message });
    return { ...seen, nextAttempt };
  }
}
