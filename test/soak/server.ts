import { contracts } from '../../functions/all-contracts.ts';
import { type FunctionEnvironment, setFunctionEnvironment } from '../../local/environment.ts';
import { loadFromSource } from '../../local/functions.ts';
import { startGateway } from '../../local/gateway/gateway.ts';

/** A server process of a fleet (`fleet.ts`), which ends with the process that started it. */

process.once('disconnect', () => process.exit());
setFunctionEnvironment(JSON.parse(process.argv[2] ?? '') as FunctionEnvironment);
const { url } = await startGateway({
  contracts,
  loadFunction: loadFromSource,
  firstKey: true,
  report: () => undefined,
});
process.send?.(url);
