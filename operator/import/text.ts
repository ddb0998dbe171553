import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { isBlank } from '../../shared/words.ts';
import { OperatorProblem } from '../problem.ts';

/** Texts and lines of a file of any size, which is read as it is needed. */

/** The longest record, in characters: more than any that the API takes. */
export const LONGEST_RECORD = 4 * 1024 * 1024;

/** As editors count lines. */
export const LINE_BREAK = /\r\n|\n|\r/g;

/** With which MS-DOS ended texts, as some programs still do. */
const END_OF_FILE = '\u001a';

/**
 * The text of a file, piece by piece, without its byte order mark, and without U+001A at its end.
 * @param fatal whether it must be UTF-8; else what is none is replaced by U+FFFD
 * @throws UnreadableFile where it is not UTF-8; OperatorProblem where there is no such file
 */
export async function* textsOf(file: string, fatal = true): AsyncGenerator<string, void> {
  let last = '';
  for await (const text of decodedTextsOf(file, fatal)) {
    const all = last + text;
    last = all.endsWith(END_OF_FILE) ? END_OF_FILE : '';
    yield all.slice(0, all.length - last.length);
  }
}

async function* decodedTextsOf(file: string, fatal: boolean): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal });
  try {
    for await (const bytes of bytesOf(file)) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const detail = 'the line is not UTF-8: save the file as UTF-8, which spreadsheets call "CSV UTF-8"';
    throw new UnreadableFile({ line: await firstLineNotUtf8(file), detail }, { cause });
  }
}

/** The number of the line, from 1. */
async function firstLineNotUtf8(file: string): Promise<number> {
  let line = 0;
  await using opened = await open(file);
  for await (const text of opened.readLines({ encoding: 'latin1', autoClose: false })) {
    line += 1;
    if (!isUtf8(Buffer.from(text, 'latin1'))) break;
  }
  return line;
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
      if (!isBlank(part)) yield { line, text: part };
    }
    if (rest.length > LONGEST_RECORD) throw new UnreadableFile({ line: line + 1, detail: 'the line is too long' });
  }
  if (!isBlank(rest)) yield { line: line + 1, text: rest };
}

/** What is wrong with a line of a file. */
export interface Finding {
  /** From 1: the line in which the record begins. */
  readonly line: number;
  /** The cell of a CSV line, from 1, and its header. */
  readonly column?: { readonly number: number; readonly name: string };
  /** Into the record (RFC 6901): `#/slug`. */
  readonly pointer?: string;
  readonly detail: string;
}

/** Longest text of a finding that comes from the file, in characters. */
const LONGEST = 200;

/** Without long names: a file may have megabytes of them in each line. */
export const shortened = ({ column, pointer, detail, ...finding }: Finding): Finding => ({
  ...finding,
  ...(column !== undefined && { column: { ...column, name: cut(column.name) } }),
  ...(pointer !== undefined && { pointer: cut(pointer) }),
  detail: cut(detail),
});

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** `Line 12, column 3 (slug), #/slug: must be …` */
export const sentenceOf = ({ line, column, pointer, detail }: Finding): string => {
  const place = column === undefined ? [] : [`column ${column.number}${column.name === '' ? '' : ` (${column.name})`}`];
  return `${[`Line ${line}`, ...place, ...(pointer === undefined ? [] : [pointer])].join(', ')}: ${detail}`;
};

/** The file cannot be read on from here: nothing of it is imported. */
export class UnreadableFile extends OperatorProblem {
  constructor(finding: Finding, options?: ErrorOptions) {
    super(`${sentenceOf(finding)}.`, options);
  }
}
