import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** `npm test`: types and lint, and beside them the quick tests. What is wrong with types and lint is said at the end. */

const LEFT_OUT =
  'x.stack.test.ts (the stack), x.slow.test.ts (npm start, bundles, a browser), and all but a sample of x.sampled.test.ts';

/** Runs a script of package.json and answers what it prints, if it fails. */
async function complaintsOf(script: string): Promise<string> {
  const child = spawn(`npm --silent run ${script}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise((resolve) => child.once('close', resolve));
  const output = await Promise.all([text(child.stdout), text(child.stderr)]);
  return (await code) === 0 ? '' : output.join('') || `npm run ${script} failed`;
}

/** Runs tests on this terminal and answers whether all is well. `filters` name files, as Vitest's do. */
async function quickTests(filters: readonly string[]): Promise<boolean> {
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project=quick', ...filters];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  return (await new Promise((resolve) => child.once('close', resolve))) === 0;
}

console.log(`Types, lint and the quick tests. \`npm run test:slow\` does the others: ${LEFT_OUT}.`);
const [complaints, areWell] = await Promise.all([complaintsOf('check'), quickTests(process.argv.slice(2))]);
if (complaints !== '') console.error(`\n\`npm run check\` says:\n\n${complaints}`);
process.exitCode = areWell && complaints === '' ? 0 : 1;
