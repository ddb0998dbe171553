import { afterAll, afterEach } from 'vitest';

/**
 * Tests print nothing: `npm test` shows only its report. Log lines of functions are discarded, but shown with a failing
 * test. A test that prints anything else fails. Tests that check output read it from `process.stdout` themselves
 * (`lines.ts`).
 */
let printed = '';

type Write = typeof process.stdout.write;
interface Streams {
  /**
   * The original writers to the terminal. Test files share the process of a worker, and each loads this module again.
   */
  realWrite?: Write;
}
const streams = globalThis as typeof globalThis & Streams;
streams.realWrite ??= process.stderr.write.bind(process.stderr) as Write;
const { realWrite } = streams;

for (const stream of [process.stdout, process.stderr]) {
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    printed += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    const done = rest.at(-1);
    if (typeof done === 'function') queueMicrotask(() => done());
    return true;
  }) as Write;
}

afterEach(({ task }) => {
  if (task.result?.state === 'fail') realWrite(printed);
  expectNothing();
});
afterAll(expectNothing);

/** @throws Error what was printed since, but for log lines */
function expectNothing(): void {
  const text = strayOutput(printed);
  printed = '';
  if (text !== '') throw new Error(`A test must not print:\n${text}`);
}

/** Output other than log lines of functions, which are JSON objects with a level or with metrics. */
export function strayOutput(text: string): string {
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^\{("level":|"_aws":|.*"level":)/.test(line))
    .join('\n');
}
