import { ceilingsOf, ceilingTable } from '../generate/ceilings/ceilings.ts';
import { checksOf, unitBoundHolds } from '../generate/data-model/bounds.ts';
import { measureOperations } from '../generate/data-model/measure.ts';
import { boundTable, patternTable } from '../generate/data-model/page.ts';
import { markdown } from '../generate/markdown.ts';
import { reportProgress } from '../local/terminal/progress.ts';

/**
 * Plays every operation against the local API and prints its calls of the table, their cost, and the bounds.
 * @returns whether every bound holds
 */
export async function benchDataModel(): Promise<boolean> {
  const { report, stop } = reportProgress('starting');
  const measured = await measureOperations(report).finally(stop);
  const checks = checksOf(measured);
  const tables = [patternTable(measured.operations), boundTable(checks), ceilingTable(measured.loads.map(ceilingsOf))];
  console.log(`${tables.map(markdown).join('\n\n')}\n`);
  const beyond = checks.filter((check) => !unitBoundHolds(check));
  for (const { title } of beyond) console.log(`FAIL  ${title}`);
  return checks.length > 0 && beyond.length === 0;
}
