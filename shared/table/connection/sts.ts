import { once } from '../../once.ts';
import { countCalls } from '../../telemetry/aws-calls.ts';
import type * as commands from './sts-client.ts';

/** A call that takes longer is retried. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true } as const;

interface Sts {
  readonly client: commands.STSClient;
  readonly commands: typeof commands;
}

/** The STS client of this container. */
export const sts: () => Promise<Sts> = once(async () => {
  const commands = await import('./sts-client.ts');
  const client = new commands.STSClient({ requestHandler: TIMEOUTS });
  countCalls(client, 'StsCalls');
  return { client, commands };
});

// A function with a tenant role needs it at its first request, so it is imported while the container starts.
if (process.env.TENANT_ROLE_ARN !== undefined) await sts();
