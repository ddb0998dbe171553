import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { adaptAssembly } from './assembly.ts';
import { Checks } from './checks.ts';
import { Commands } from './commands.ts';
import { installEmulator, type Lane, patchEmulator, startEmulator } from './emulator.ts';
import { Processes } from './processes.ts';
import { STAGE, Trial } from './trial.ts';

/**
 * `npm run rehearse`: deploys a stage with the real CDK into an emulator of AWS that is not ours, as
 * `docs/deployment.md` says, and tries it (`docs/decisions/0051-tests-beyond-emulators.md`). First with everything
 * allowed, then with IAM enforced; `-- --open` and `-- --iam` run one of them. It needs Python 3 with venv, installs
 * the emulator from PyPI into a temporary directory, listens on loopback alone, and ends all that it has started.
 */

const { values: only } = parseArgs({ options: { open: { type: 'boolean' }, iam: { type: 'boolean' } } });
const lanes = (['open', 'iam'] as const).filter((lane) => only[lane] || !(only.open || only.iam));

const SETTINGS = ['-c', `stage=${STAGE}`, '-c', 'firstKey=true', '-c', 'alarmEmail=ops@example.com'];
const SECOND = ['-c', 'memory=512', '-c', 'tokenKeys=1,2'];

const work = await mkdtemp(join(tmpdir(), 'custodia-trial-'));
const at = (...names: readonly string[]): string => join(work, ...names);
const checks = new Checks();
await using processes = new Processes(at('logs'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void processes[Symbol.asyncDispose]().finally(() => process.exit(130)));
}

try {
  await checks.require('install the emulator', () => installEmulator(processes, at('venv')));
  await checks.require('cdk synth', synthesize);
  for (const lane of lanes) await tryLane(lane);
} catch (error) {
  checks.failed ||= 1;
  console.log((error as Error).message);
} finally {
  await processes[Symbol.asyncDispose]();
  console.log(checks.failed === 0 ? 'All passed.' : `${checks.failed} failed: see ${at('logs')}`);
  if (checks.failed === 0) await rm(work, { recursive: true, force: true });
  else for (const name of ['venv', 'first', 'second', ...lanes]) await rm(at(name), { recursive: true, force: true });
}
process.exitCode = checks.failed === 0 ? 0 : 1;

async function synthesize(): Promise<void> {
  const commands = new Commands(processes, 'synth');
  const synth = (...more: readonly string[]) => commands.cdk('synth', '--quiet', ...SETTINGS, ...more);
  // The role of the gateway's logs is a stack of its own, which only the first deployment needs.
  await synth('-c', 'gatewayLogRole=true', '--output', at('first'));
  if (lanes.includes('open')) await synth(...SECOND, '--output', at('second'));
}

async function tryLane(lane: Lane): Promise<void> {
  console.log(lane === 'iam' ? 'With IAM enforced:' : 'With everything allowed:');
  const withIam = lane === 'iam';
  if (withIam) patchEmulator(at('venv'));
  const assemblies = { first: at(lane, 'first'), second: at(lane, 'second') };
  for (const name of withIam ? (['first'] as const) : (['first', 'second'] as const)) {
    await cp(at(name), assemblies[name], { recursive: true });
    adaptAssembly(assemblies[name], { withIam });
  }
  await using emulator = await startEmulator(processes, at('venv'), lane);
  const { endpoint } = emulator;
  await new Trial({ checks, processes, lane, endpoint, work: at(lane), original: at('first'), ...assemblies }).run();
}
