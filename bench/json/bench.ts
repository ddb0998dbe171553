import httpJsonBodyParser from '@middy/http-json-body-parser';
import { markdown } from '../../generate/markdown.ts';
import { parseJson } from '../../shared/json/index.ts';
import { chainEvent, middyRequest } from '../../test/support/chain.ts';
import { leastCpuOf } from './cpu.ts';

/** The least of several tries counts, because other work of the machine only adds time. */
const TRIES = 7;

/** `[0,0,0]` with this number of characters, or a few more. */
const listOf = (number: string, length: number): string =>
  `[${`${number},`.repeat(Math.ceil((length - 2) / (number.length + 1)))}${number}]`;

const TEXTS: readonly [name: string, text: string][] = [
  ['16,384 characters of `0`', listOf('0', 16_384)],
  ['64 KB of `-0`, one field of free-form JSON', listOf('-0', 65_536)],
  ['1 MB of `0`', listOf('0', 1_048_576)],
  ['1 MB of `-0`', listOf('-0', 1_048_576)],
];

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

const WAYS: readonly [name: string, parse: (text: string) => unknown][] = [
  ['`JSON.parse`', (text) => JSON.parse(text)],
  ['`@middy/http-json-body-parser`', (text) => parser.before?.(middyRequest(chainEvent({ body: text })))],
  ['`parseJson`, numbers kept', parseJson],
];

/**
 * Prints the cost of parsing the texts that take the most work for their length (`docs/decisions/0005`), in
 * milliseconds of CPU time.
 */
export function benchJson(): void {
  const rows = TEXTS.map(([name, text]) => [
    name,
    ...WAYS.map(([, parse]) => `${leastCpuOf(() => parse(text), TRIES).toFixed(1)} ms`),
  ]);
  console.log(markdown({ head: ['text', ...WAYS.map(([name]) => name)], rows }));
}
