import type * as commands from './kms-client.ts';

/** A call that takes longer is retried. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true } as const;

interface Kms {
  readonly client: commands.KMSClient;
  readonly commands: typeof commands;
}

let shared: Promise<Kms> | undefined;

/** The KMS client of this container. Imported on first use: that takes 35 ms, and most requests need no key (`docs/decisions/0054`). */
export function kms(): Promise<Kms> {
  shared ??= import('./kms-client.ts').then((commands) => ({
    client: new commands.KMSClient({ requestHandler: TIMEOUTS }),
    commands,
  }));
  return shared;
}
