import { type EngineName, startDynamoDb } from '../../local/dynamodb/index.ts';
import { writePerformance } from '../docs.ts';
import { profileText } from '../profile.ts';
import { ProgressReporter } from '../progress-reporter.ts';
import { boundText, holds } from '../statistics.ts';
import { measure, type OperationCosts } from './measure.ts';
import { type ContenderName, OPERATION_NAMES, type OperationName } from './names.ts';
import { plotOfRequests, requestBounds, requestTable } from './report.ts';
import { PROFILED_REQUESTS, profileFile, profileSteps, stepTable } from './steps.ts';

export interface RequestsOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  readonly against?: readonly ContenderName[];
  readonly operation?: readonly OperationName[];
  /** Directory for CPU profiles, instead of measuring. */
  readonly profile?: string;
  readonly engine?: EngineName;
}

/** Measures the CPU time of requests. @returns whether every bound holds */
export async function benchRequests({ operation = OPERATION_NAMES, ...options }: RequestsOptions): Promise<boolean> {
  const { small, writeDocs, against, profile, engine } = options;
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine === undefined ? {} : { engine }) });
  const reporter = new ProgressReporter();
  try {
    if (profile !== undefined) return await benchSteps(dynamoDb.endpoint, { operation, profile }, reporter);
    const measured = await measure(
      dynamoDb.endpoint,
      { size: small ? 'small' : 'usual', against, operations: operation },
      reporter.report,
    );
    const table = requestTable(measured);
    reporter.print(`CPU time of the document client alone ÷ CPU time; median (quartiles)\n\n${table}\n`);
    if (writeDocs) await writePerformance('requests', table, plotOfRequests(measured));
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

async function benchSteps(
  engine: string,
  { operation = OPERATION_NAMES, profile = '' }: Pick<RequestsOptions, 'operation' | 'profile'>,
  reporter: ProgressReporter,
): Promise<true> {
  const profiled = await profileSteps(engine, operation, profile, reporter.report);
  for (const name of operation) {
    const file = profileFile(profile, name, 'ours');
    reporter.print(`## ${name}: ${file}\n\n${await profileText(file, PROFILED_REQUESTS)}\n`);
  }
  reporter.print(stepTable(profiled));
  return true;
}
