import { join } from 'node:path';
import { type EngineName, startDynamoDb } from '../../local/dynamodb/index.ts';
import { writePerformance } from '../docs.ts';
import { profileText } from '../profile.ts';
import { ProgressReporter } from '../progress-reporter.ts';
import { boundText, holds } from '../statistics.ts';
import { measure, type OperationCosts } from './measure.ts';
import { type ContenderName, OPERATION_NAMES, type OperationName } from './names.ts';
import { startContenders } from './processes.ts';
import { callTable, plotOfRequests, requestBounds, requestTable } from './report.ts';

export interface RequestsOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  readonly against?: readonly ContenderName[];
  readonly operation?: readonly OperationName[];
  /** Directory for CPU profiles of ours, instead of measuring. */
  readonly profile?: string;
  readonly engine?: EngineName;
}

/** Measures the CPU time of requests. @returns whether every bound holds */
export async function benchRequests({ operation = OPERATION_NAMES, ...options }: RequestsOptions): Promise<boolean> {
  const { small, writeDocs, against, profile, engine } = options;
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine === undefined ? {} : { engine }) });
  const reporter = new ProgressReporter();
  try {
    if (profile !== undefined) return await profileOurs(dynamoDb.endpoint, operation, profile, reporter);
    const measured = await measure(
      dynamoDb.endpoint,
      { size: small ? 'small' : 'usual', against, operations: operation },
      reporter.report,
    );
    const tables = `${requestTable(measured)}\n\n${callTable(measured)}`;
    reporter.print(`CPU time of the document client for the same calls ÷ CPU time; median (quartiles)\n\n${tables}\n`);
    if (writeDocs) await writePerformance('requests', tables, plotOfRequests(measured));
    return reportBounds(measured, reporter);
  } finally {
    reporter.stop();
    await dynamoDb.stop();
  }
}

function reportBounds(measured: OperationCosts, reporter: ProgressReporter): boolean {
  const bounds = requestBounds(measured);
  for (const bound of bounds) reporter.print(boundText(bound));
  return bounds.every(holds);
}

const WARM_UP = 3_000;
const PROFILED = 3_000;

async function profileOurs(
  engine: string,
  operations: readonly OperationName[],
  directory: string,
  reporter: ProgressReporter,
) {
  const [ours] = await startContenders(engine, 0, ['ours']);
  for (const operation of operations) {
    reporter.report(operation);
    const profile = join(directory, `${operation.replaceAll(' ', '-')}.cpuprofile`);
    await ours?.play({ operation, requests: WARM_UP });
    await ours?.play({ operation, requests: PROFILED, profile });
    reporter.print(`## ${operation}: ${profile}\n\n${await profileText(profile, PROFILED)}\n`);
  }
  ours?.stop();
  return true;
}
