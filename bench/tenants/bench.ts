import type { Table } from '@custodia/counted-lists';
import { App } from 'aws-cdk-lib';
import { createTable, localConnection } from '#local-dynamodb';
import { markdown } from '../../generate/markdown.ts';
import { settingsFrom } from '../../infra/settings.ts';
import { tableOf } from '../../shared/table/index.ts';
import { STANDARD_LIMIT, STANDARD_SHARE } from '../../shared/tenancy/budget/request-budget.ts';
import type { Bound } from '../bounds.ts';
import { runBench, writeFigures } from '../harness.ts';
import { recordOperations } from './operations.ts';
import { FULL, SCENARIOS, type Scenario, type Size, SMALL } from './scenarios.ts';
import { type Outcomes, type Simulated, Simulation } from './simulate.ts';

interface TenantsOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
}

/** Many tenants with a load by Zipf's law, and one that floods. @returns whether every bound holds */
export const benchTenants = ({ small, writeDocs }: TenantsOptions): Promise<boolean> =>
  runBench('dynoxide', async ({ endpoint, report, print }) => {
    const size = small ? SMALL : FULL;
    const simulated = await simulateFloods(endpoint, SCENARIOS, size, report);
    const table = floodTable(simulated);
    print(`${table}\n`);
    if (writeDocs) await writeFigures('operations.md', 'bench:flood', table);
    return floodBounds(simulated, size);
  });

export async function simulateFloods(
  endpoint: string,
  scenarios: readonly Scenario[],
  size: Size,
  report: (text: string) => void,
): Promise<readonly Simulated[]> {
  const operations = await recordOperations(report);
  const settings = settingsFrom(new App().node);
  // The local API that the calls were recorded from is more generous.
  process.env.RATE_LIMIT = String(settings.rateLimit);
  process.env.TENANT_RATE_LIMIT = '';
  const table = await newTable(endpoint);
  const simulated: Simulated[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    report(`flood ${index + 1} of ${scenarios.length}: ${scenario.name}`);
    simulated.push(await new Simulation(scenario, size, settings, table).run(operations));
  }
  return simulated;
}

/** Where the containers' budgets meet. */
async function newTable(endpoint: string): Promise<Table> {
  const name = 'flood';
  await createTable(endpoint, name);
  return tableOf(name, localConnection(endpoint));
}

/** The part of requests that was refused or failed. */
const lostOf = ({ sent, served }: Outcomes): number => (sent - served) / sent;

/** How much of a flood may be served, and how much others may lose. */
export const floodBounds = (simulated: readonly Simulated[], size: Size): Bound[] =>
  simulated.flatMap(({ scenario: { name, flood, lostAtMost }, flooding, near, far }) => {
    const lost = (who: string, outcomes: Outcomes, atMost: number): Bound => ({
      claim: `flood: ${name}: part of the requests of others on ${who} that is refused or fails`,
      measured: Number(lostOf(outcomes).toFixed(4)),
      atMost,
    });
    const ofOthers = [lost('its route', near, lostAtMost.near), lost('other routes', far, lostAtMost.far)];
    const served = { claim: `flood: ${name}: its requests that are served`, measured: flooding.served };
    return flood === undefined ? ofOthers : [...ofOthers, { ...served, atMost: mostServed(size) }];
  });

/**
 * A full bucket of the tenant and what refills it; and a fifth of the one and a tenth of the other for what containers
 * admit before they know of each other (`docs/decisions/0081`).
 */
function mostServed({ during }: Size): number {
  const limit = STANDARD_LIMIT * STANDARD_SHARE;
  return limit * 1.2 + ((during * limit) / 60) * 1.1;
}

const floodTable = (simulated: readonly Simulated[]): string =>
  markdown({
    head: [
      'flood',
      'of it served',
      'others on its route lose',
      'others on other routes lose',
      'longest wait of others',
    ],
    rows: simulated.map(({ scenario: { name }, flooding, near, far }) => {
      const wait = Math.max(near.longestWait, far.longestWait);
      return [
        name,
        flooding.sent === 0 ? '–' : `${flooding.served.toLocaleString('en')} of ${flooding.sent.toLocaleString('en')}`,
        ...[near, far].map((others) => `${(100 * lostOf(others)).toFixed(1)} %`),
        wait === 0 ? '–' : `${(wait / 1_000).toFixed(1)} s`,
      ];
    }),
  });
