import type * as commands from './sts-client.ts';

/** How long a call may take before it is tried again. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true } as const;

interface Sts {
  readonly client: commands.STSClient;
  readonly commands: typeof commands;
}

let shared: Promise<Sts> | undefined;

/** The STS client of this container. */
export function sts(): Promise<Sts> {
  shared ??= import('./sts-client.ts').then((commands) => ({
    client: new commands.STSClient({ requestHandler: TIMEOUTS }),
    commands,
  }));
  return shared;
}

// A function that works for tenants needs it at its first request: better loaded while the container starts than then.
if (process.env.TENANT_ROLE_ARN !== undefined) await sts();
