import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Where the API is, and who may do everything there. */
export interface Address {
  readonly url: string;
  readonly platform: { readonly appCode: string; readonly secret: string };
}

/** Whether a program is on the path. */
export const isThere = (program: string, ...version: string[]): boolean =>
  spawnSync(program, version, { stdio: 'ignore' }).status === 0;

/**
 * Runs a program. The API runs in this process meanwhile, so nothing here may wait for it synchronously.
 * @throws Error with the end of what it printed, when it fails
 */
export async function run(cwd: string, program: string, args: readonly string[], env: object = {}): Promise<void> {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  const output = await Promise.all([text(child.stdout), text(child.stderr)]);
  if ((await code) !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${output.join('\n').slice(-4000)}`);
}
