import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { escaped, jsonText } from './printable.ts';

/**
 * Writes a command's texts, escaped, so that no value of a record or an error moves the cursor or looks like another
 * line.
 */

/** Writes lines to standard output. */
export function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${escaped(line)}\n`);
}

/** Writes lines to standard error. */
export function printError(...lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${escaped(line)}\n`);
}

/** Writes a value to standard output as JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value)}\n`);
}

let hasStreamed = false;

/** Writes values to standard output as they come, one in a line (NDJSON), no faster than they are read. */
export async function printEach(values: AsyncIterable<unknown>): Promise<void> {
  for await (const value of values) {
    hasStreamed = true;
    if (!process.stdout.write(`${jsonText(value, 0)}\n`)) await once(process.stdout, 'drain');
  }
}

/**
 * Reports that a command failed. As JSON it takes the place of the result, but never follows values that were already
 * written.
 */
export function sayFailure(sentence: string, isJson: boolean): void {
  if (!isJson) printError(sentence);
  else process[hasStreamed ? 'stderr' : 'stdout'].write(`${jsonText({ error: sentence })}\n`);
}

/** The lines of standard input, as they come. */
export const inputLines = (): AsyncIterable<string> => createInterface({ input: process.stdin });

/** Asks the person at the terminal. */
export async function ask(question: string): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await asking.question(escaped(question));
  } finally {
    asking.close();
  }
}
