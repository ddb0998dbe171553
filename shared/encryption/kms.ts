import type * as commands from './kms-client.ts';

/** How long a call may take before it is tried again. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true } as const;

interface Kms {
  readonly client: commands.KMSClient;
  readonly commands: typeof commands;
}

let shared: Promise<Kms> | undefined;

/** The KMS client of this container. Loaded when first needed: it costs 35 ms, and most requests need no key (`docs/decisions/0054`). */
export function kms(): Promise<Kms> {
  shared ??= import('./kms-client.ts').then((commands) => ({
    client: new commands.KMSClient({ requestHandler: TIMEOUTS }),
    commands,
  }));
  return shared;
}
