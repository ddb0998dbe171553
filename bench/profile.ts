import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector/promises';
import { dirname, join } from 'node:path';
import { markdown } from '../generate/markdown.ts';

/** Makes CPU profiles, keeps them for a viewer (Chrome, VS Code), and summarizes them. */

/** In microseconds. */
const SAMPLING_INTERVAL = 100;

/** Does some work and writes its CPU profile to a file. */
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

/** During a longer pause the process waited for a busy machine. */
const LONGEST_PAUSE = 2 * SAMPLING_INTERVAL;

/**
 * A summary of a profile, by package or folder and by function, without what they call: in microseconds of wall time
 * for each request, without pauses.
 */
export async function profileText(file: string, requests: number): Promise<string> {
  const { nodes, samples = [], timeDeltas = [] }: Profiler.Profile = JSON.parse(await readFile(file, 'utf8'));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [places, functions] = [new Map<string, number>(), new Map<string, number>()];
  for (const [index, sample] of samples.entries()) {
    const [frame, time = 0] = [frames.get(sample), timeDeltas[index]];
    if (frame === undefined || time > LONGEST_PAUSE || frame.functionName === '(idle)') continue;
    for (const [times, name] of [
      [places, placeOf(frame)],
      [functions, functionOf(frame)],
    ] as const)
      times.set(name, (times.get(name) ?? 0) + time / requests);
  }
  return `${tableOf('place', places)}\n\n${tableOf('function', functions)}`;
}

const LONGEST_ROWS = 25;

function tableOf(title: string, times: ReadonlyMap<string, number>): string {
  const rows = [...times].sort(([, a], [, b]) => b - a).slice(0, LONGEST_ROWS);
  const total = times.values().reduce((sum, time) => sum + time, 0);
  return markdown({
    head: [title, 'µs', '%'],
    rows: rows.map(([name, time]) => [name, time.toFixed(1), ((100 * time) / total).toFixed(1)]),
  });
}

type Frame = Profiler.ProfileNode['callFrame'];

const ROOT = join(import.meta.dirname, '..');

/** `shared/table/keys.ts`, `node_modules/zod/…`, `node:fs`; empty for what has no file. */
const sourceOf = ({ url }: Frame): string =>
  url
    .replace('file://', '')
    .replace(`${ROOT}/`, '')
    .replace(/^.*node_modules\//, 'node_modules/');

/** `@smithy/core`, `shared/http`, `node:internal/modules`, `(garbage collector)` */
function placeOf(frame: Frame): string {
  const source = sourceOf(frame);
  if (source === '') return frame.functionName || '(native)';
  const [first = '', ...others] = source.replace('node_modules/', '').split('/');
  if (source.startsWith('node_modules/') && !first.startsWith('@')) return first;
  return [first, ...others.slice(0, source.startsWith('packages/') ? 3 : 1)].join('/');
}

const functionOf = (frame: Frame): string => {
  const place = sourceOf(frame).replace('node_modules/', '');
  return `\`${frame.functionName || '(anonymous)'}\` ${place === '' ? '' : `${place}:${frame.lineNumber + 1}`}`.trim();
};
