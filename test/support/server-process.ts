import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Api, requester } from './api.ts';

/** Another server process on the table of this one, as another container would be: with a memory and a clock of its own. */
export interface ServerProcess {
  readonly request: Api['request'];
  readonly close: () => Promise<void>;
}

const CHILD = fileURLToPath(new URL('server-child.ts', import.meta.url));
const MOVED_CLOCK = new URL('../dates/moved-clock.ts', import.meta.url).href;

/**
 * Starts one, after `startApi`, whose table and keys it takes.
 * @param ahead of this process's clock, in milliseconds
 */
export async function startServerProcess(
  environment: Readonly<Record<string, string>> = {},
  ahead = 0,
): Promise<ServerProcess> {
  const moved = Number(process.env.TEST_CLOCK ?? 0) + ahead;
  const child = fork(CHILD, {
    execArgv: [`--import=${MOVED_CLOCK}`],
    env: { ...process.env, ...environment, NODE_OPTIONS: '', TEST_CLOCK: String(moved) },
  });
  const exited = once(child, 'exit');
  const [url] = await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => Promise.reject(new Error(`the server ended with ${code}`))),
  ]);
  const close = async (): Promise<void> => {
    child.disconnect();
    await exited;
  };
  return { request: requester(String(url)), close };
}
