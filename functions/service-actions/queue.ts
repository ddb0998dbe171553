import { hash, randomBytes } from 'node:crypto';
import type { RequestSession, Stored, Tenant } from '#table';
import { MOST_ATTEMPTS } from './contract.ts';
import { type StoredServiceAction, serviceActionEntity } from './store.ts';

/**
 * Actions wait for runners in a queue, by their type and the time from which on they may be given to one:
 *
 *     pending ──▶ running ──▶ completed, failed
 *        │          │ ▲ └ its lease has ended: given to the next one, or failed after the third
 *        └──────────┴─┴─▶ cancelled
 *
 * A running one stands in the queue at the time at which its lease ends. All times are by the clock of DynamoDB. The
 * token that the action has decides who has it, whatever clocks say: a runner has an action until another one has
 * claimed it (`docs/decisions/0021-services-and-resources.md`).
 */

/** The place of an action in the queue. Types are words, which have no blank. */
export const placeAt = (type: string, time: string): string => `${type} ${time}`;

/** A time from now, by the clock of DynamoDB. */
export const inSeconds = ({ serverTime }: Tenant, seconds: number): string =>
  new Date(serverTime + seconds * 1_000).toISOString();

/** A lease as it is stored. */
export const digestOf = (token: string): string => hash('sha256', token, 'base64url');

/** Actions of each type that a claim looks at, and how often it tries to be the first. */
const A_TYPE = 25;
const MOST_TRIES = 5;
/** Most actions that a claim ends because their last lease has ended. */
const MOST_ENDED = 3;

type Waiting = Awaited<ReturnType<typeof due>>[number];
type Action = Stored<StoredServiceAction>;

/** What a claim has found, and has not tried yet. */
interface Search {
  readonly left: Waiting[];
  tries: number;
}

/** A claim that others were faster than runs again: it takes another action than they do. */
const searches = new WeakMap<RequestSession, Search>();

interface Claim {
  readonly types: readonly string[];
  readonly lease_seconds: number;
}

/** Stages that a runner gets the action that was due first. @returns undefined where there is none */
export async function claimAction(tenant: Tenant, { types, lease_seconds }: Claim) {
  const { session } = tenant;
  const search = searches.get(session) ?? { left: await due(tenant, types), tries: 0 };
  searches.set(session, search);
  if (++search.tries > MOST_TRIES) return undefined;
  const records = tenant.records(serviceActionEntity);
  for (let ended = 0; ended < MOST_ENDED; ) {
    const { stored, isAgain } = (await nextIn(search, tenant)) ?? {};
    if (stored === undefined) return undefined;
    if (isAgain && stored.record.attempts >= MOST_ATTEMPTS) {
      await records.update(stored, { ...ENDED, lease: null, status: 'failed', finished_at: session.timestamp });
      ended++;
      continue;
    }
    const token = randomBytes(24).toString('base64url');
    const leased_until = inSeconds(tenant, lease_seconds);
    const changes = { status: 'running', attempts: stored.record.attempts + 1, lease: digestOf(token), leased_until };
    const queued = placeAt(stored.record.action_type, leased_until);
    return { action: (await records.update(stored, { ...changes, queued })).record, lease: token };
  }
  return undefined;
}

/** What an action has no more when nobody is to carry it out. */
export const ENDED = { queued: null, leased_until: null } as const;

/** The next action that is still where it was found. The first claim takes the first one; others spread. */
async function nextIn(
  { left, tries }: Search,
  tenant: Tenant,
): Promise<{ stored: Action; isAgain: boolean } | undefined> {
  while (left.length > 0) {
    const at = tries === 1 ? 0 : Math.floor(Math.random() * left.length);
    const [{ id, text } = { id: '', text: '' }] = left.splice(at, 1);
    const stored = await tenant.records(serviceActionEntity).get(id);
    if (stored?.record.queued === text) return { stored, isAgain: stored.record.status === 'running' };
  }
  return undefined;
}

/** The actions of these types that are due, the one that has been for the longest time first. */
async function due(tenant: Tenant, types: readonly string[]) {
  const now = inSeconds(tenant, 0);
  const found = [...new Set(types)].map((type) =>
    tenant
      .records(serviceActionEntity)
      .waiting({ field: 'queued', prefix: placeAt(type, ''), upTo: placeAt(type, now), most: A_TYPE }),
  );
  const timeIn = ({ text }: { readonly text: string }): string => text.slice(text.indexOf(' '));
  return (await Promise.all(found)).flat().toSorted((one, other) => (timeIn(one) < timeIn(other) ? -1 : 1));
}
