import { throughput } from './deliveries.ts';
import { runBench } from './harness.ts';
import { checkPages } from './pages/bench.ts';
import { measure } from './requests/measure.ts';
import { OPERATION_NAMES } from './requests/names.ts';
import { floodBounds, simulateFloods } from './tenants/bench.ts';
import { LEAST, SCENARIOS } from './tenants/scenarios.ts';

/**
 * Runs the benchmarks that compare responses with those of others, as briefly as they can be run.
 * `test/infra/deployed.slow.test.ts` does so with cold starts.
 * @returns whether nobody notices a small flood
 * @throws Error when one of them does not run
 */
export const checkBenches = (): Promise<boolean> =>
  // It needs a fourth of the CPU time of DynamoDB Local, and the floods need it anyway.
  runBench('dynoxide', async ({ endpoint, report }) => {
    await measure(endpoint, { size: 'least', operations: OPERATION_NAMES }, report);
    await checkPages(endpoint, report);
    await throughput(endpoint, 40);
    const floods = await simulateFloods(endpoint, SCENARIOS.slice(0, 2), LEAST, report);
    return floodBounds(floods, LEAST);
  });
