import { countCalls } from '../../telemetry/aws-calls.ts';
import type * as commands from './sts-client.ts';

/** A call that takes longer is retried. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true } as const;

interface Sts {
  readonly client: commands.STSClient;
  readonly commands: typeof commands;
}

let shared: Promise<Sts> | undefined;

/** The STS client of this container. */
export function sts(): Promise<Sts> {
  shared ??= import('./sts-client.ts').then((commands) => {
    const client = new commands.STSClient({ requestHandler: TIMEOUTS });
    countCalls(client, 'StsCalls');
    return { client, commands };
  });
  return shared;
}

// A function with a tenant role needs it at its first request, so it is imported while the container starts.
if (process.env.TENANT_ROLE_ARN !== undefined) await sts();
