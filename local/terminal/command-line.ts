import { Command, InvalidArgumentError } from 'commander';
import { printError } from './output.ts';

/** Exit code of a command that was called in a wrong way; 1 says that something was found. */
const WRONG_USAGE = 2;

/** A command that reports a mistake in its flags in one line, and then ends with exit code 2. */
export const commandLine = (name: string): Command =>
  new Command(name)
    .configureOutput({ outputError: (text) => printError(inOneLine(text)) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE));

/** A message of commander, whose hint may be on a separate line. */
export const inOneLine = (message: string): string => message.trim().replaceAll(/\n\s*/g, ' ');

/**
 * For flags that count something: a whole number between two bounds. From 1, because a check of nothing proves nothing.
 */
export const wholeNumberOption =
  ({ from = 1, to = 999_999_999 } = {}) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d{1,10}$/.test(text) && number >= from && number <= to) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
  };

/** For seeds of random choices, of 31 bits. */
export const seedNumber = wholeNumberOption({ from: 0, to: 2 ** 31 - 1 });

/** For flags that measure something: a number over 0. */
export function positiveNumber(text: string): number {
  const number = Number(text);
  if (!/^\d{1,6}(\.\d+)?$/.test(text) || number <= 0) throw new InvalidArgumentError('It must be a number over 0.');
  return number;
}
