import { randomBytes } from 'node:crypto';
import autocannon from 'autocannon';
import { type EngineName, startDynamoDb } from '../../local/dynamodb/index.ts';
import { callersAt } from '../../test/support/api.ts';
import { writePerformance } from '../docs.ts';
import { ProgressReporter } from '../progress-reporter.ts';
import { boundText, holds, inTurns } from '../statistics.ts';
import { children, cpuOfProcesses } from './cpu.ts';
import { type Load, type LocalContender, localBounds, localTable, plotOfLocal } from './report.ts';
import { LOCAL_OPERATIONS, type LocalOperation, localRequestsOf, type Requests } from './requests.ts';
import { Server } from './server.ts';

export interface LocalOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  readonly engine?: EngineName;
}

interface Contender {
  readonly name: LocalContender;
  readonly server: Server;
  readonly requests: Requests;
}

interface Size {
  readonly rounds: number;
  /** Length of a turn, in seconds. */
  readonly duration: number;
  /** Length of the warm-up, in seconds. */
  readonly warmUp: number;
}

const SIZE: Size = { rounds: 9, duration: 3, warmUp: 8 };
const SMALL: Size = { rounds: 3, duration: 2, warmUp: 3 };
const CONNECTIONS = 10;

/** Measures requests a second on this machine. @returns whether every bound holds */
export async function benchLocal({ small, writeDocs, engine }: LocalOptions): Promise<boolean> {
  const reporter = new ProgressReporter();
  await using started = new AsyncDisposableStack();
  started.defer(() => reporter.stop());
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine === undefined ? {} : { engine }) });
  started.defer(() => dynamoDb.stop());
  const database = children();
  const contenders = [await ours(dynamoDb.endpoint), await peer(dynamoDb.endpoint)];
  for (const { server } of contenders) started.defer(() => server.stop());

  const size = small ? SMALL : SIZE;
  const loads: Load[] = [];
  const turn = async (
    { name, server, requests }: Contender,
    operation: LocalOperation,
    duration: number,
  ): Promise<Load> => {
    const before = [cpuOfProcesses([server.pid]), cpuOfProcesses(database)] as const;
    const result = await autocannon({
      url: server.url,
      connections: CONNECTIONS,
      duration,
      requests: [requests[operation]],
    });
    const { '2xx': responded, non2xx, errors } = result;
    if (responded === 0 || non2xx + errors > 0) throw new Error(`${name} failed ${non2xx + errors} of ${operation}`);
    const [api, dynamo] = [cpuOfProcesses([server.pid]), cpuOfProcesses(database)];
    const perRequest = (now: number | undefined, then: number | undefined) =>
      now === undefined || then === undefined ? undefined : (now - then) / responded;
    return {
      name,
      operation,
      perSecond: responded / result.duration,
      apiCpu: perRequest(api, before[0]),
      databaseCpu: perRequest(dynamo, before[1]),
    };
  };

  for (const contender of contenders) {
    for (const operation of LOCAL_OPERATIONS) {
      reporter.report(`warming up ${contender.name}: ${operation}`);
      await turn(contender, operation, size.warmUp);
    }
  }
  for (const [round, order] of inTurns(contenders, size.rounds).entries()) {
    for (const operation of LOCAL_OPERATIONS) {
      reporter.report(`round ${round + 1} of ${size.rounds}: ${operation}`);
      for (const contender of order) loads.push(await turn(contender, operation, size.duration));
    }
  }

  const table = `On ${dynamoDb.engine}:\n\n${localTable(loads, dynamoDb.engine)}`;
  reporter.print(`${table}\n`);
  if (writeDocs) await writePerformance(`local-${dynamoDb.engine}`, table, plotOfLocal(loads, dynamoDb.engine));
  const bounds = localBounds(loads, dynamoDb.engine);
  for (const bound of bounds) reporter.print(boundText(bound));
  return bounds.every(holds);
}

const SECRET = randomBytes(24).toString('base64url');

/** `npm start`, with an organization of its own. */
async function ours(endpoint: string): Promise<Contender> {
  const environment = { DYNAMODB_ENDPOINT: endpoint, DATA_DIR: ':memory:', PORT: '0', PLATFORM_SECRET: SECRET };
  const server = await Server.start('bin/local.ts', environment);
  const { token } = await callersAt(server.url, { appCode: 'platform', secret: SECRET }).orgToken();
  return { name: 'Custodia', server, requests: await localRequestsOf(server, token) };
}

async function peer(endpoint: string): Promise<Contender> {
  const server = await Server.start('bench/local/peer.ts', { DYNAMODB_ENDPOINT: endpoint });
  return { name: 'fastify + ElectroDB', server, requests: await localRequestsOf(server) };
}
