import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector/promises';
import { dirname, join } from 'node:path';
import { markdown } from '../generate/markdown.ts';

/** Makes CPU profiles, keeps them for a viewer (Chrome, VS Code), and reports them in words. */

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

const LONGEST = 25;

/** During a longer pause the process waited for a busy machine. */
const LONGEST_PAUSE = 2 * SAMPLING_INTERVAL;

interface Sample {
  /** In microseconds. */
  readonly time: number;
  readonly own: Frame;
  /** The function and its callers, the innermost first. */
  readonly stack: readonly Frame[];
}

async function samplesIn(file: string): Promise<Sample[]> {
  const { nodes, samples = [], timeDeltas = [] }: Profiler.Profile = JSON.parse(await readFile(file, 'utf8'));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const stackOf = (sample: number): Frame[] => {
    const stack: Frame[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = byId.get(id)?.callFrame;
      if (frame !== undefined) stack.push(frame);
    }
    return stack;
  };
  return samples.flatMap((sample, index) => {
    const time = timeDeltas[index] ?? 0;
    const stack = stackOf(sample);
    const [own] = stack;
    const isWork = time <= LONGEST_PAUSE && own?.functionName !== '(idle)' && own?.url !== 'node:inspector';
    return isWork && own !== undefined ? [{ time, own, stack }] : [];
  });
}

/**
 * A summary of a profile: by package or folder, by function alone, and by function of ours with all that it calls. In
 * microseconds of wall time per request, without pauses: good for comparing parts.
 */
export async function profileText(file: string, requests: number): Promise<string> {
  const places = new Times();
  const alone = new Times();
  const withCalled = new Times();
  for (const { time, own, stack } of await samplesIn(file)) {
    places.add(placeOf(own, sourceOf(own)), time);
    alone.add(nameOf(own, sourceOf(own)), time);
    const ours = stack.filter((frame) => isOurs(sourceOf(frame)));
    for (const name of new Set(ours.map((frame) => nameOf(frame, sourceOf(frame))))) withCalled.add(name, time);
  }
  return [
    places.text('place', requests),
    alone.text('function, alone', requests),
    withCalled.text('function of ours, with what it calls until it first waits', requests),
  ].join('\n\n');
}

class Times {
  readonly #times = new Map<string, number>();

  add(name: string, time: number): void {
    this.#times.set(name, (this.#times.get(name) ?? 0) + time);
  }

  text(title: string, requests: number): string {
    const rows = [...this.#times].sort(([, a], [, b]) => b - a).slice(0, LONGEST);
    const total = [...this.#times.values()].reduce((sum, time) => sum + time, 0);
    return markdown({
      head: [title, 'µs', '%'],
      rows: rows.map(([name, time]) => [name, (time / requests).toFixed(1), ((100 * time) / total).toFixed(1)]),
    });
  }
}

type Frame = Profiler.ProfileNode['callFrame'];

const ROOT = join(import.meta.dirname, '..');
/** `shared/table/keys.ts`, `node_modules/zod/…`, `node:fs`; empty for what has no file. */
const sourceOf = ({ url }: Frame): string =>
  url
    .replace('file://', '')
    .replace(`${ROOT}/`, '')
    .replace(/^.*node_modules\//, 'node_modules/');

const isOurs = (source: string): boolean => /^(shared|functions|packages)\//.test(source);

/** `@smithy/core`, `shared/http`, `node:internal/modules`, `(garbage collector)` */
function placeOf({ functionName }: Frame, source: string): string {
  if (source === '') return functionName || '(native)';
  if (source.startsWith('node:')) return source.split('/').slice(0, 2).join('/');
  const [first = '', second = '', third = ''] = source.replace('node_modules/', '').split('/');
  if (source.startsWith('node_modules/')) return first.startsWith('@') ? `${first}/${second}` : first;
  return third.endsWith('.ts') || third === '' ? `${first}/${second}` : `${first}/${second}/${third}`;
}

const nameOf = ({ functionName, lineNumber }: Frame, source: string): string =>
  `\`${functionName || '(anonymous)'}\` ${source === '' ? '' : `${source.replace('node_modules/', '')}:${lineNumber + 1}`}`.trim();
