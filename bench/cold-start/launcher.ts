import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Starts a function as Lambda does, in a fresh process: loads its module, calls its handler once, and reports the
 * times. It is bundled to JavaScript first, so that no TypeScript is stripped in the measured process.
 */

export interface Launch {
  readonly module: string;
  readonly export: string;
  readonly event: unknown;
}

/** CPU time since the module was asked for, in milliseconds. */
interface Moment {
  readonly cpu: number;
}

export interface Launched {
  /** The module is loaded. */
  readonly loaded: Moment;
  /** The handler has responded. */
  readonly responded: Moment;
  readonly result: { readonly statusCode?: number; readonly body?: string };
}

const { module, export: name, event }: Launch = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const context = { getRemainingTimeInMillis: () => 20_000, awsRequestId: 'r-1', functionName: 'bench' };

const before = process.cpuUsage();
const now = (): Moment => {
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000 };
};

// Lambda's runtime requires CommonJS and imports modules.
const exported = module.endsWith('.mjs') ? await import(module) : createRequire(module)(module);
const loaded = now();
const result = await exported[name](event, context);
const launched: Launched = { loaded, responded: now(), result };
process.stdout.write(`\n${JSON.stringify(launched)}\n`, () => process.exit(0));
