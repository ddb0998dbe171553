import type { WriteStream } from 'node:tty';
import { escaped } from './printable.ts';

/** How often a terminal is updated, and how often a file or a pipe gets a line. In milliseconds. */
const INTERVAL = { terminal: 250, other: 15_000 } as const;
const CLEARED = '\r\x1b[K';

export interface Progress {
  /** Removes the text from the terminal before something else is written, until the next update. */
  clear(): void;
  /** Ends the progress line. */
  stop(): void;
}

/** The part of a stream's interface that is used. */
export type Output = Pick<WriteStream, 'write'> & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

/** The same for a text that `report` replaces; `first` is the initial text. */
export function reportProgress(first: string): Progress & { readonly report: (text: string) => void } {
  let state = first;
  const report = (text: string): void => {
    state = text;
  };
  return { report, ...showProgress(() => state) };
}

/**
 * Shows the progress of a long command, besides its output: on a terminal in one line that changes, elsewhere as a new
 * line now and then.
 */
export function showProgress(text: () => string, stream: Output = process.stderr): Progress {
  const clear = (): void => {
    if (stream.isTTY) stream.write(CLEARED);
  };
  const show = (): void => {
    const line = escaped(text());
    stream.write(stream.isTTY ? `${CLEARED}${line.slice(0, (stream.columns ?? 80) - 1)}` : `${line}\n`);
  };
  const timer = setInterval(show, stream.isTTY ? INTERVAL.terminal : INTERVAL.other);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    clear();
  };
  return { clear, stop };
}
