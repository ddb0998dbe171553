import { configureTable } from '#table';
import type { Asked, Ran } from './operator.ts';

/** Runs one command line of the operator after the other, as `operator.ts` asks: the entry point anew each time, over modules that are loaded once. */

const ENTRY = new URL('../../bin/operator.ts', import.meta.url).href;
let runs = 0;

// Each run of the entry listens to them.
process.stdout.setMaxListeners(0);
process.once('disconnect', () => process.exit());
process.on('message', async ({ args, env }: Asked) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  process.exitCode = 0;
  // What a process would look up once: its table, its sessions.
  configureTable({});
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array): boolean => {
      written[name] += text;
      return true;
    };
  runs += 1;
  await import(`${ENTRY}?${runs}`);
  const ran: Ran = { code: process.exitCode ?? 0, ...written };
  process.exitCode = 0;
  process.send?.(ran);
});
process.send?.('ready');
