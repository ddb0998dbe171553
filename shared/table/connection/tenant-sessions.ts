import type { assumeRole } from '@custodia/lean-dynamodb';
import type { Clock } from '../../clock.ts';
import { keepNewest } from '../../memory.ts';

/** Without their expiration: {@link TenantSessions} counts it itself. */
export type TenantCredentials = Omit<Awaited<ReturnType<typeof assumeRole>>, 'expiration'>;

/** Longest session of a role that assumes another role, in seconds (AWS, "AssumeRole"). */
export const LIFETIME = 3_600;

/** Most tenants whose clients a container keeps; the least recently used is evicted first. */
export const KEPT_TENANTS = 100;

/** Most tenants whose sessions a container keeps; the least recently used is evicted first. A session takes 1.7 KB. */
export const KEPT_SESSIONS = 5_000;

/** A renewal begins at a random time so long before the session's end, in milliseconds, to spread renewals. */
export const EARLIEST_RENEWAL = 15 * 60_000;
const LATEST_RENEWAL = 5 * 60_000;
/** Safety margin before a session's end, in which it is not used: a call takes time. In milliseconds. */
const LAST = 30_000;
/** The wait after a failed renewal, in milliseconds. */
const PAUSE = 5_000;
/** Nobody waits for an opening that takes longer, in milliseconds: Lambda has probably frozen it half-way. */
const PATIENCE = 10_000;

/** Most calls of STS at a time. Further requests wait in line. */
const PARALLEL_CALLS = 16;
/** A renewal begins only while there are fewer calls than this; else a later request begins it. */
const PARALLEL_RENEWALS = 4;

interface Opening {
  readonly session: Promise<TenantCredentials>;
  /** In epoch milliseconds. Undefined while it waits in line. */
  since: number | undefined;
}

/** What is kept for one tenant. Times are in epoch milliseconds of this container's clock. */
interface Kept {
  credentials: TenantCredentials | undefined;
  renewFrom: number;
  endsAt: number;
  opening: Opening | undefined;
}

export interface SessionSource {
  /** Opens a session for a tenant. */
  readonly open: (tenant: string) => Promise<TenantCredentials>;
  /** How long a session lasts from the time it was asked for, in milliseconds. */
  readonly lifetime: number;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
}

/**
 * The sessions of tenants, apart from the clients that use them: a client that is made anew needs no new session
 * (`docs/decisions/0050-tenant-sessions.md`). Each tenant has one after the other:
 *
 *     none, or in its last 30 seconds ──▶ whoever asks waits for the next, which is opened once for all of them
 *     in its last 15 to 5 minutes ──────▶ it is used; the next is opened meanwhile, without waiting
 *     before that ──────────────────────▶ it is used
 *
 * A session's end is counted on this container's clock from when it was asked for. So a clock that is days off opens no
 * more sessions than a right one. Should AWS report it as expired earlier, the caller forces a new one. A failure is
 * not kept.
 */
export class TenantSessions {
  readonly #source: SessionSource;
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();
  /** With the times at which they were asked for. */
  readonly #underWay = new Map<Promise<unknown>, number>();
  readonly #line: (() => void)[] = [];
  #calls = 0;

  constructor(source: SessionSource, most: number = KEPT_SESSIONS) {
    this.#source = source;
    this.#most = most;
  }

  /**
   * The credentials of a tenant's session.
   * @param forceRefresh opens a new session: AWS reported the last one as expired
   * @param lasting how long it must still last, in milliseconds
   * @throws what opening throws
   */
  async credentialsOf(tenant: string, forceRefresh = false, lasting = LAST): Promise<TenantCredentials> {
    const kept = this.#kept.get(tenant) ?? { credentials: undefined, renewFrom: 0, endsAt: 0, opening: undefined };
    keepNewest(this.#kept, tenant, kept, this.#most);
    const now = this.#source.clock();
    if (kept.credentials === undefined || forceRefresh || now >= kept.endsAt - lasting) return this.#next(tenant, kept);
    if (now >= kept.renewFrom && this.#calls < PARALLEL_RENEWALS) this.#next(tenant, kept).catch(() => undefined);
    return kept.credentials;
  }

  /** Resolves when no session is being opened that was asked for since then; undefined where none is. */
  settled(since: number): Promise<unknown> | undefined {
    const recent = [...this.#underWay].flatMap(([session, asked]) => (asked >= since ? [session] : []));
    return recent.length === 0 ? undefined : Promise.allSettled(recent);
  }

  /** The session that is being opened for the tenant, or else one that is opened now. */
  #next(tenant: string, kept: Kept): Promise<TenantCredentials> {
    const { opening } = kept;
    const isAwaited =
      opening !== undefined && (opening.since === undefined || this.#source.clock() - opening.since < PATIENCE);
    return isAwaited ? opening.session : this.#open(tenant, kept);
  }

  #open(tenant: string, kept: Kept): Promise<TenantCredentials> {
    const begun: Pick<Opening, 'since'> = { since: undefined };
    const session = this.#inTurn(() => {
      begun.since = this.#source.clock();
      return this.#source.open(tenant);
    });
    const opening = Object.assign(begun, { session });
    kept.opening = opening;
    this.#underWay.set(session, this.#source.clock());
    session
      .then(
        (credentials) => {
          if (kept.opening === opening) this.#keep(kept, credentials, opening.since ?? 0);
        },
        () => {
          if (kept.opening === opening) kept.renewFrom = Math.max(kept.renewFrom, this.#source.clock() + PAUSE);
        },
      )
      .finally(() => {
        this.#underWay.delete(session);
        if (kept.opening === opening) kept.opening = undefined;
      });
    return session;
  }

  #keep(kept: Kept, credentials: TenantCredentials, since: number): void {
    const { lifetime, random } = this.#source;
    kept.credentials = credentials;
    kept.endsAt = since + lifetime;
    kept.renewFrom = kept.endsAt - LATEST_RENEWAL - random() * (EARLIEST_RENEWAL - LATEST_RENEWAL);
  }

  /** Begins a call, or has it wait in line for one of the others to end. */
  async #inTurn<T>(call: () => Promise<T>): Promise<T> {
    if (this.#calls < PARALLEL_CALLS) this.#calls += 1;
    else await new Promise<void>((resolve) => void this.#line.push(resolve));
    try {
      return await call();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#calls -= 1;
      else next();
    }
  }
}
