import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { dirname } from 'node:path';

/** In microseconds. */
const SAMPLING_INTERVAL = 100;

/** Does some work and writes its CPU profile to a file, for a viewer (Chrome, VS Code). */
export async function profiled<T>(file: string, work: () => Promise<T>): Promise<T> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL });
  await session.post('Profiler.start');
  const result = await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(profile));
  return result;
}
