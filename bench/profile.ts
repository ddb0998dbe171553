import { readFile, writeFile } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector/promises';
import { markdown } from '../generate/markdown.ts';

/** CPU profiles: made, kept for a viewer (Chrome, VS Code), and told in words. */

/** In microseconds. */
const SAMPLING_INTERVAL = 100;

/** Does some work and writes its profile to a file. */
export async function profiled<T>(file: string, work: () => Promise<T>): Promise<T> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL });
  await session.post('Profiler.start');
  const result = await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  await writeFile(file, JSON.stringify(profile));
  return result;
}

const LONGEST = 25;

/** What a profile says: by package or folder, by function alone, and by function of ours with all that it calls. In microseconds for each of so many requests. */
export async function profileText(file: string, requests: number): Promise<string> {
  const { nodes, samples = [], timeDeltas = [] }: Profiler.Profile = JSON.parse(await readFile(file, 'utf8'));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const places = new Times();
  const alone = new Times();
  const withCalled = new Times();
  for (const [index, sample] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    const own = byId.get(sample)?.callFrame;
    if (own === undefined || own.functionName === '(idle)') continue;
    places.add(placeOf(own), time);
    alone.add(nameOf(own), time);
    const stack = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = byId.get(id)?.callFrame;
      if (frame !== undefined && isOurs(frame)) stack.add(nameOf(frame));
    }
    for (const name of stack) withCalled.add(name, time);
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

const ROOT = `${new URL('..', import.meta.url)}`;
const pathOf = ({ url }: Frame): string => url.replace(ROOT, '').replace(/^.*node_modules\//, 'node_modules/');

const isOurs = (frame: Frame): boolean => /^(shared|functions)\//.test(pathOf(frame));

/** `@smithy/core`, `shared/http`, `node:internal`, `(garbage collector)` */
function placeOf(frame: Frame): string {
  const path = pathOf(frame);
  if (path === '') return frame.functionName || '(native)';
  if (path.startsWith('node:')) return 'node:…';
  const [first = '', second = '', third = ''] = path.replace('node_modules/', '').split('/');
  if (path.startsWith('node_modules/')) return first.startsWith('@') ? `${first}/${second}` : first;
  return third.endsWith('.ts') || third === '' ? `${first}/${second}` : `${first}/${second}/${third}`;
}

const nameOf = (frame: Frame): string => {
  const path = pathOf(frame).replace('node_modules/', '');
  return `\`${frame.functionName || '(anonymous)'}\` ${path === '' ? '' : `${path}:${frame.lineNumber + 1}`}`.trim();
};
