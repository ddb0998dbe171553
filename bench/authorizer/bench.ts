import { readUnitsOf } from '../../generate/data-model/play.ts';
import { Recorder } from '../../generate/data-model/recorder.ts';
import { type EngineName, startDynamoDb } from '../../local/dynamodb/index.ts';
import { IN_MEMORY } from '../../local/settings.ts';
import { startLocalApi } from '../../local/start.ts';
import { environmentTable } from '../../shared/table/index.ts';
import { callersAt } from '../../test/support/api.ts';
import { median } from '../statistics.ts';

/** Requests of a turn, and numbers of turns with and without a cached response of the authorizer. */
const REQUESTS = 200;
const TURNS = 15;

/** Compares a read with and without a check of its caller, in turns, at the local gateway with this engine. */
export async function benchAuthorizer(engine: EngineName): Promise<void> {
  const kept = await measure(engine, 3_600);
  const asked = await measure(engine, 0);
  const added = (of: (one: Measured) => number): string => (of(asked) - of(kept)).toFixed(2);
  console.log(`A check of the caller adds to a request, with ${engine}, at the median of ${TURNS} turns of ${REQUESTS}:
  ${added(({ calls }) => calls)} calls of the table, of ${added(({ units }) => units)} read units
  ${added(({ cpuMs }) => cpuMs)} ms of CPU time, ${added(({ ms }) => ms)} ms in all (${kept.ms.toFixed(2)} ms without)`);
}

/** Cost of a request. */
interface Measured {
  readonly calls: number;
  readonly units: number;
  readonly cpuMs: number;
  readonly ms: number;
}

async function measure(engine: EngineName, authorizerTtlSeconds: number): Promise<Measured> {
  const dynamoDb = await startDynamoDb({ dataDir: IN_MEMORY, engine });
  await using started = new AsyncDisposableStack();
  started.defer(dynamoDb.stop);
  const settings = { port: 0, host: '127.0.0.1', dataDir: IN_MEMORY, platformSecret: undefined };
  const options = { authorizerTtlSeconds, deliveries: false };
  const local = await startLocalApi({ ...settings, dynamoDbEndpoint: dynamoDb.endpoint }, options);
  started.defer(local.close);
  const api = callersAt(local.url, local.platform);
  const { token } = await api.orgToken();
  const read = () => fetch(`${local.url}/api/v1/permissions`, { headers: { authorization: `Bearer ${token}` } });
  const turns = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const [cpu, start] = [process.cpuUsage(), performance.now()];
    for (let request = 0; request < REQUESTS; request++) await (await read()).arrayBuffer();
    const { user, system } = process.cpuUsage(cpu);
    turns.push({ cpuMs: (user + system) / 1_000 / REQUESTS, ms: (performance.now() - start) / REQUESTS });
  }
  const recorder = new Recorder(environmentTable());
  const calls = await recorder.record(read);
  return {
    calls: calls.length,
    units: readUnitsOf(calls),
    cpuMs: median(turns.map(({ cpuMs }) => cpuMs)),
    ms: median(turns.map(({ ms }) => ms)),
  };
}
