import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { OperatorProblem } from '../problem.ts';
import { UnreadableFile } from './findings.ts';

/** Texts and lines of a file of any size, which is read as it is needed. */

/** The longest record, in characters: more than any that the API takes. */
export const LONGEST_RECORD = 4 * 1024 * 1024;

/**
 * The text of a file, piece by piece, without its byte order mark.
 * @param fatal whether it must be UTF-8; else what is none is replaced by U+FFFD
 * @throws UnreadableFile where it is not UTF-8; OperatorProblem where there is no such file
 */
export async function* textsOf(file: string, fatal = true): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal });
  let lines = 1;
  const decoded = (bytes?: Uint8Array): string => {
    try {
      const text = decoder.decode(bytes, { stream: bytes !== undefined });
      lines += text.split('\n').length - 1;
      return text;
    } catch (cause) {
      const detail = 'the file is not UTF-8 from about here on: save it as UTF-8, which spreadsheets call "CSV UTF-8"';
      throw new UnreadableFile({ line: lines, detail }, { cause });
    }
  };
  for await (const bytes of bytesOf(file)) yield decoded(bytes);
  yield decoded();
}

/** @throws OperatorProblem */
export async function* bytesOf(file: string): AsyncGenerator<Uint8Array, void> {
  try {
    const kind = await stat(file);
    // A pipe would be empty when it is read again.
    if (!kind.isFile() && !kind.isDirectory()) throw new Error('it is no file, which can be read more than once');
    yield* createReadStream(file);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : message;
    throw new OperatorProblem(`${file} cannot be read: ${reason}.`, { cause });
  }
}

export interface TextLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * The lines of a file that are not blank. They end with a line feed only: U+2028 may be inside a string of JSON.
 * @throws UnreadableFile
 */
export async function* linesOf(file: string, fatal = true): AsyncGenerator<TextLine, void> {
  let rest = '';
  let line = 0;
  for await (const text of textsOf(file, fatal)) {
    const parts = text.split('\n');
    parts[0] = rest + parts[0];
    rest = parts.pop() ?? '';
    for (const part of parts) {
      line += 1;
      if (part.trim() !== '') yield { line, text: part };
    }
    if (rest.length > LONGEST_RECORD) throw new UnreadableFile({ line: line + 1, detail: 'the line is too long' });
  }
  if (rest.trim() !== '') yield { line: line + 1, text: rest };
}
