import { vi } from 'vitest';

/** A line of a function's log. */
export type Line = Readonly<Record<string, unknown>>;

export const NAMESPACE = 'Custodia/custodia-test';

/**
 * The log lines of functions during some work, as in AWS.
 * @throws SyntaxError for a line that is not JSON
 */
export async function written<T>(
  work: () => Promise<T>,
  namespace = NAMESPACE,
): Promise<{ readonly result: T; readonly lines: readonly Line[]; readonly text: string }> {
  let text = '';
  vi.stubEnv('METRICS_NAMESPACE', namespace);
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      text += String(chunk);
      return true;
    }),
  );
  try {
    const result = await work();
    return { result, text, lines: text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])) };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
