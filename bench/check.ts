import { startDynamoDb } from '../local/dynamodb/index.ts';
import { holds } from './bounds.ts';
import { checkDeliveries } from './deliveries/bench.ts';
import { benchReads } from './pages/bench.ts';
import { LEAST, measureSizes } from './pages/sizes/measure.ts';
import { ProgressReporter } from './progress-reporter.ts';
import { measure } from './requests/measure.ts';
import { OPERATION_NAMES } from './requests/names.ts';
import { simulateFloods } from './tenants/flood/bench.ts';
import { floodBounds } from './tenants/flood/report.ts';
import { LEAST as LEAST_FLOOD, SCENARIOS } from './tenants/flood/scenarios.ts';

/** A page and a bit. */
const LIST_LENGTH = 40;

/**
 * Runs the benchmarks that compare responses with those of other libraries, as briefly as they can be run.
 * `test/infra/deployed.slow.test.ts` does so with cold starts.
 * @throws Error when one of them does not run
 */
export async function checkBenches(): Promise<void> {
  // It needs a fourth of the CPU time of DynamoDB Local, and the floods need it anyway.
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', engine: 'dynoxide' });
  const reporter = new ProgressReporter();
  try {
    await measure(dynamoDb.endpoint, { size: 'least', operations: OPERATION_NAMES }, reporter.report);
    await benchReads(dynamoDb.endpoint, LIST_LENGTH, { report: reporter.report, print: () => undefined }, 1);
    await measureSizes(dynamoDb.endpoint, LEAST, reporter.report);
    await checkDeliveries(dynamoDb.endpoint);
    // A usual load, and a flood that nobody else may notice.
    const floods = await simulateFloods(SCENARIOS.slice(0, 2), LEAST_FLOOD, reporter.report);
    const [exceeded] = floodBounds(floods, LEAST_FLOOD).filter((bound) => !holds(bound));
    if (exceeded !== undefined) throw new Error(exceeded.claim);
  } finally {
    reporter.stop();
    await dynamoDb.stop();
  }
}
