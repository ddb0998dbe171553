import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector/promises';
import { SourceMap, type SourceMapping } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
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

/** The source file of a position in a profile, from the repository's root. */
type SourceOf = (frame: Frame) => string;

/** A sample after a longer pause tells where the process waited for a busy machine, and not where it worked. */
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
 * The part of a profile's time in each step, from 0 to 1. A step is that of the innermost function that has one.
 * @param stepOf the step of a source file, or of what has none: `(garbage collector)`
 */
export async function stepShares(
  file: string,
  stepOf: (source: string) => string | undefined,
): Promise<ReadonlyMap<string, number>> {
  const shares = new Map<string, number>();
  const samples = await samplesIn(file);
  const total = samples.reduce((sum, { time }) => sum + time, 0);
  for (const { time, stack } of samples) {
    const steps = stack.map((frame) => stepOf(fileOf(frame) || frame.functionName));
    const step = steps.find((each) => each !== undefined) ?? '';
    shares.set(step, (shares.get(step) ?? 0) + time / total);
  }
  return shares;
}

/**
 * A summary of a profile: by package or folder, by function alone, and by function of ours with all that it calls. In
 * microseconds of wall time per request, without pauses: good for comparing parts.
 */
export async function profileText(file: string, requests: number, sourceOf: SourceOf = fileOf): Promise<string> {
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
const fileOf: SourceOf = ({ url }) => fromRoot(url);

/** `shared/table/keys.ts`, `node_modules/zod/…`, `node:fs`; empty for what has no file. */
const fromRoot = (path: string): string =>
  path
    .replace('file://', '')
    .replace(`${ROOT}/`, '')
    .replace(/^.*node_modules\//, 'node_modules/');

/** Source files of bundled code, by the maps in this directory. */
export function mappedSources(maps: string): SourceOf {
  const known = new Map<string, SourceMap | undefined>();
  const mapOf = (url: string): SourceMap | undefined => {
    const file = join(maps, `${basename(url)}.map`);
    const map =
      known.get(file) ?? (existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined);
    known.set(file, map);
    return map;
  };
  return ({ url, lineNumber, columnNumber }) => {
    const entry: Partial<SourceMapping> | undefined = mapOf(url)?.findEntry(lineNumber, columnNumber);
    return fromRoot(entry?.originalSource === undefined ? url : resolve(maps, entry.originalSource));
  };
}

const isOurs = (source: string): boolean => /^(shared|functions)\//.test(source);

/** `@smithy/core`, `shared/http`, `node:internal/modules`, `(garbage collector)` */
function placeOf({ functionName }: Frame, source: string): string {
  if (source === '') return functionName || '(native)';
  if (source.startsWith('/')) return '(made by the bundler)';
  if (source.startsWith('node:')) return source.split('/').slice(0, 2).join('/');
  const [first = '', second = '', third = ''] = source.replace('node_modules/', '').split('/');
  if (source.startsWith('node_modules/')) return first.startsWith('@') ? `${first}/${second}` : first;
  return third.endsWith('.ts') || third === '' ? `${first}/${second}` : `${first}/${second}/${third}`;
}

const nameOf = ({ functionName, lineNumber }: Frame, source: string): string =>
  `\`${functionName || '(anonymous)'}\` ${source === '' ? '' : `${source.replace('node_modules/', '')}:${lineNumber + 1}`}`.trim();
