import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '@custodia/counted-lists';
import { App } from 'aws-cdk-lib';
import { withText } from '../../../generate/places.ts';
import { settingsFrom } from '../../../infra/settings.ts';
import { createTable, LOCAL_AWS, localDynamoDbClient, startDynamoDb } from '../../../local/dynamodb/index.ts';
import { tableOf } from '../../../shared/table/index.ts';
import type { Bound } from '../../bounds.ts';
import type { ProgressReporter } from '../../progress-reporter.ts';
import { recordOperations } from './operations.ts';
import { floodBounds, floodTable } from './report.ts';
import { FULL, SCENARIOS, type Scenario, type Size, SMALL } from './scenarios.ts';
import { type Simulated, Simulation } from './simulate.ts';

const PAGE = join(import.meta.dirname, '../../../docs/operations.md');

/** Many tenants with a load by Zipf's law, and one that floods: who waits, who is refused. */
export async function benchFlood(
  { small, writeDocs }: { readonly small: boolean; readonly writeDocs: boolean },
  reporter: ProgressReporter,
): Promise<readonly Bound[]> {
  const size = small ? SMALL : FULL;
  const simulated = await simulateFloods(SCENARIOS, size, reporter.report);
  const table = floodTable(simulated);
  reporter.print(`${table}\n`);
  if (writeDocs) await writeFile(PAGE, withText(await readFile(PAGE, 'utf8'), 'bench:flood', table));
  return floodBounds(simulated, size);
}

export async function simulateFloods(
  scenarios: readonly Scenario[],
  size: Size,
  report: (text: string) => void,
): Promise<readonly Simulated[]> {
  const operations = await recordOperations(report);
  const settings = settingsFrom(new App().node);
  // The local API that the calls were recorded from is more generous.
  process.env.RATE_LIMIT = String(settings.rateLimit);
  process.env.TENANT_RATE_LIMIT = '';
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', engine: 'dynoxide' });
  try {
    const table = await newTable(dynamoDb.endpoint);
    const simulated: Simulated[] = [];
    for (const [index, scenario] of scenarios.entries()) {
      report(`flood ${index + 1} of ${scenarios.length}: ${scenario.name}`);
      simulated.push(await new Simulation(scenario, size, settings, table).run(operations));
    }
    return simulated;
  } finally {
    await dynamoDb.stop();
  }
}

/** Where the containers' budgets meet. */
async function newTable(endpoint: string): Promise<Table> {
  const name = 'flood';
  await createTable(localDynamoDbClient(endpoint), name);
  return tableOf(name, { endpoint, ...LOCAL_AWS });
}
