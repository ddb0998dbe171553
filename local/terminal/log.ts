import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { styleText } from 'node:util';
import { annotations, type logger } from '#telemetry';
import { LOG_LEVELS, type LogLevel } from '../settings.ts';
import { stacksOf } from '../stacks.ts';
import { escaped } from './printable.ts';

/** The log of `npm start`. */
export interface Log {
  /** Whether a text of this level is written. */
  readonly writes: (level: Level) => boolean;
  readonly debug: (text: string) => void;
  readonly info: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly error: (text: string) => void;
}

type Level = Exclude<LogLevel, 'silent'>;

export type Color = 'dim' | 'green' | 'yellow' | 'red';

/** Colours text for a stream; `styleText` leaves it unchanged where the stream is no terminal, or `NO_COLOR` is set. */
export const painter =
  (stream: NodeJS.WritableStream) =>
  (color: Color, text: string): string =>
    styleText(color, text, { stream });

const MARKS: Readonly<Record<Level, Color | undefined>> = {
  debug: 'dim',
  info: undefined,
  warn: 'yellow',
  error: 'red',
};

/** A log of this level and worse: warnings and errors to standard error, all else to standard output. */
export function terminalLog(
  level: LogLevel,
  { stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'> = process,
): Log {
  const writes = (asked: Level): boolean => LOG_LEVELS.indexOf(asked) >= LOG_LEVELS.indexOf(level);
  const writerOf = (own: Level) => {
    const stream = own === 'warn' || own === 'error' ? stderr : stdout;
    const color = MARKS[own];
    const mark = color === undefined ? '' : `${painter(stream)(color, own.toUpperCase())} `;
    return (text: string): void => {
      if (writes(own)) stream.write(`${mark}${own === 'info' ? text : escapedLines(text)}\n`);
    };
  };
  return { writes, debug: writerOf('debug'), info: writerOf('info'), warn: writerOf('warn'), error: writerOf('error') };
}

/** Stacks have several lines. Lines of requests are coloured and contain no text of callers. */
const escapedLines = (text: string): string => text.split('\n').map(escaped).join('\n');

/** Makes the functions' logger, which writes JSON in Lambda, write for people. */
export function divertLogger(own: typeof logger, log: Log): void {
  own.warn = (...line) => log.warn(textOf(...line));
  own.error = (...line) => log.error(textOf(...line));
}

/** `The service failed, request 7c2…, operation createClient`, and below it the stacks of the error and its causes. */
function textOf(message: string, { error }: Parameters<typeof logger.error>[1] = {}): string {
  const { request_id: request, operation } = annotations();
  const details = Object.entries({ request, operation }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  return [[message, ...details].join(', '), ...(error === undefined ? [] : [readableStack(error)])].join('\n');
}

const ROOT = join(import.meta.dirname, '../..');
const FOREIGN = /^ +at .*(\bnode:|\bnode_modules\b)/;

/**
 * The stacks of an error and its causes, by paths from the project's folder, without the lines of Node and of packages.
 */
export const readableStack = (error: unknown): string =>
  stacksOf(error)
    .replaceAll(`${pathToFileURL(ROOT).href}/`, '')
    .replaceAll(join(ROOT, sep), '')
    .split('\n')
    .filter((line) => !FOREIGN.test(line))
    .map((line) => `  ${line}`)
    .join('\n');
