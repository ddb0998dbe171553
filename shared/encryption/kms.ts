import { renewExpired } from '../expired-session.ts';
import { once } from '../once.ts';
import { countCalls } from '../telemetry/aws-calls.ts';
import type * as commands from './kms-client.ts';

/** A call that takes longer is retried. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true } as const;

export interface Kms {
  readonly client: commands.KMSClient;
  readonly commands: typeof commands;
}

/** The credentials of a session. */
export type SessionCredentials = NonNullable<commands.KMSClientConfig['credentials']>;

const own: () => Promise<Kms> = once(async () => {
  const commands = await import('./kms-client.ts');
  const client = new commands.KMSClient({ requestHandler: TIMEOUTS });
  countCalls(client, 'KmsCalls');
  return { client, commands };
});
const inSessions = new WeakMap<SessionCredentials, Kms>();

/**
 * The KMS client of this container, or the one that signs with these credentials, which is kept as long as they are. Imported on first use:
 * that takes 35 ms, and most requests need no key (`docs/decisions/0054`).
 */
export async function kms(session?: SessionCredentials): Promise<Kms> {
  const shared = await own();
  if (session === undefined) return shared;
  const known = inSessions.get(session) ?? inSession(shared, session);
  inSessions.set(session, known);
  return known;
}

/** All sessions share the connections of the function's own client. */
function inSession({ client, commands }: Kms, credentials: SessionCredentials): Kms {
  const { requestHandler } = client.config;
  const ofSession = new commands.KMSClient({ requestHandler, credentials });
  renewExpired(ofSession);
  countCalls(ofSession, 'KmsCalls');
  return { client: ofSession, commands };
}
