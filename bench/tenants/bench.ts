import { type Bound, holds, lineOf } from '../bounds.ts';
import { writePerformance } from '../docs.ts';
import { ProgressReporter } from '../progress-reporter.ts';
import { benchFlood } from './flood/bench.ts';
import { measureMemory } from './memory.ts';
import { measureMisses } from './misses.ts';
import { plotOfSessions, type SessionFigures, sessionBounds, sessionTables } from './session-report.ts';
import { simulateAll } from './sessions.ts';

export interface TenantsOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
}

/** A part of the benchmark. It prints its tables, and writes them into the pages where it is told to. @returns its bounds */
type Part = (options: TenantsOptions, reporter: ProgressReporter) => Promise<readonly Bound[]>;

const PARTS: readonly Part[] = [benchSessions, benchFlood];

/** What many tenants cost a container, and what they notice of each other. @returns whether every bound holds */
export async function benchTenants(options: TenantsOptions): Promise<boolean> {
  const reporter = new ProgressReporter();
  try {
    const bounds: Bound[] = [];
    for (const part of PARTS) bounds.push(...(await part(options, reporter)));
    for (const bound of bounds) {
      reporter.print(lineOf(bound));
    }
    return bounds.length > 0 && bounds.every(holds);
  } finally {
    reporter.stop();
  }
}

/** Sessions of STS: calls, CPU time and memory. */
async function benchSessions({ small, writeDocs }: TenantsOptions, reporter: ProgressReporter) {
  // Memory first: what other measurements leave would be counted.
  const memory = await measureMemory();
  const misses = await measureMisses(small ? 5 : 21, reporter.report);
  const figures: SessionFigures = { simulated: await simulateAll(reporter.report), misses, memory };
  const tables = sessionTables(figures);
  reporter.print(`${tables}\n`);
  if (writeDocs) await writePerformance('tenants', tables, plotOfSessions(figures.simulated));
  return sessionBounds(figures);
}
