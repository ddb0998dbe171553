import { assumeRole, type CallerClient, type SessionCredentials } from '#aws';
import { type Clock, systemClock } from '../../clock.ts';

/**
 * A function's credentials for one tenant: a session of the tenant role, tagged with the tenant. The role's policy
 * compares the tag with the partition key of every item (`infra/tenant-role.ts`), and the policy of the key of secrets
 * compares it with the encryption context, so that AWS itself keeps the function inside the tenant
 * (`docs/decisions/0050-tenant-sessions.md`).
 */

/** The session tag with the tenant, which the tenant role's policy reads. */
export const TENANT_TAG = 'tenant';

/** Longest session of a role that assumes another role (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html). In seconds. */
const LIFETIME = 3_600;

/** An organization's id or `PLATFORM`. Nothing else may become a tag, above all no wildcard. */
const TENANT = /^(PLATFORM|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/;

/** In the last minutes of a session, the next one is opened in parallel to the work. In milliseconds. */
const RENEWAL = 5 * 60_000;
/**
 * Safety margin before a session's end, in which it is not used: a call takes time, and clocks differ. In milliseconds.
 */
const LAST = 30_000;
/** The wait after a failed renewal, in milliseconds. */
const PAUSE = 5_000;
/** An opening that takes longer than this was probably frozen half-way by Lambda: nobody else waits for it. In milliseconds. */
const PATIENCE = 10_000;

interface Opening {
  readonly session: Promise<SessionCredentials>;
  /** In epoch milliseconds. */
  readonly since: number;
}

/** A credential provider of the SDK. `forceRefresh` asks for new credentials. */
type Provider = (options?: { readonly forceRefresh?: boolean }) => Promise<SessionCredentials>;

/**
 * Sessions of the role for one tenant, one after the other (`docs/decisions/0050-tenant-sessions.md`):
 *
 *     none, or in its last 30 seconds ──▶ whoever asks waits for the next, which is opened once for all of them
 *     in its last five minutes ─────────▶ it is used; the next is opened meanwhile, without waiting
 *     before that ──────────────────────▶ it is used
 *
 * The provider throws TypeError for an invalid tenant, and the errors of STS, of which transient ones become a 503 (`retry.ts`). A failure is
 * not kept.
 * @param functionClient the client of the function, whose role assumes the tenant role
 */
export function tenantCredentials(
  functionClient: CallerClient,
  role: string,
  tenant: string,
  clock: Clock = systemClock,
): Provider {
  let held: SessionCredentials | undefined;
  let opening: Opening | undefined;
  let pausedUntil = 0;

  const open = (): Promise<SessionCredentials> => {
    const begun: Opening = { session: openSession(functionClient, role, tenant), since: clock() };
    opening = begun;
    begun.session
      .then(
        (session) => {
          if (opening === begun) held = session;
        },
        () => {
          pausedUntil = clock() + PAUSE;
        },
      )
      .finally(() => {
        if (opening === begun) opening = undefined;
      });
    return begun.session;
  };
  const next = (): Promise<SessionCredentials> =>
    opening !== undefined && clock() - opening.since < PATIENCE ? opening.session : open();

  const provide: Provider = async ({ forceRefresh = false } = {}) => {
    const left = held === undefined ? 0 : held.expiration.getTime() - clock();
    if (held === undefined || forceRefresh || left <= LAST) return next();
    if (left <= RENEWAL && clock() >= pausedUntil) next().catch(() => undefined);
    return held;
  };
  // Otherwise the SDK would cache them by its own rules, which wait for each renewal.
  return Object.assign(provide, { memoized: true });
}

async function openSession(functionClient: CallerClient, role: string, tenant: string): Promise<SessionCredentials> {
  if (!TENANT.test(tenant)) throw new TypeError('a tenant must be a UUID or PLATFORM');
  const tag = { key: TENANT_TAG, value: tenant };
  return assumeRole(functionClient, { role, name: `tenant-${tenant}`, duration: LIFETIME, tag });
}

/** The part of an AWS SDK client that this needs, whatever its service. */
interface Client<Send> {
  readonly middlewareStack: {
    add(middleware: (next: Send) => Send, options: { readonly step: 'initialize'; readonly name: string }): void;
  };
  readonly config: { credentials(options: { readonly forceRefresh: boolean }): Promise<unknown> };
}

/** Makes a client retry a request once in a new session where AWS reports its session as expired. */
export function renewExpired<Request, Response>(client: Client<(request: Request) => Promise<Response>>): void {
  client.middlewareStack.add(
    (next) => async (request) => {
      try {
        return await next(request);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ExpiredTokenException')) throw error;
        await client.config.credentials({ forceRefresh: true });
        return next(request);
      }
    },
    { step: 'initialize', name: 'renewExpired' },
  );
}
