/**
 * An error for the terminal: its stack and those of its causes, without its other properties, because some contain
 * items of the table.
 */
import { causesOf } from '../shared/errors.ts';
export const stacksOf = (error: unknown): string =>
  error instanceof Error
    ? causesOf(error)
        .map(({ stack, message }) => stack ?? message)
        .join('\nCaused by: ')
    : String(error);
