import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { isBlank } from '../../shared/words.ts';
import { LINE_BREAK, LONGEST_RECORD, textsOf, UnreadableFile } from './text.ts';

/** The rows of a file of CSV (RFC 4180), with any end of line. */

export interface Row {
  /** From 1: the line of the file in which it begins. A quoted cell may have more than one line. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * The rows of a file, without those whose cells are all blank: spreadsheets also save rows that were cleared.
 * @throws UnreadableFile for a quotation mark that is out of place or never closed
 */
export async function* rowsOf(file: string): AsyncGenerator<Row, void> {
  const { delimiter, isDeclared } = await delimiterOf(file);
  let end = 0;
  let isDeclaration = isDeclared;
  /** Where the rows begin that the parser still holds. */
  const begins: number[] = [];
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: LONGEST_RECORD,
    // Here and not where rows are taken, because an error of the parser overtakes the rows that it still holds.
    on_record: (cells) => {
      const line = end + 1;
      // Not by the parser's own count: to that, a line break of two characters in a cell is two.
      end = line + cells.reduce((sum, cell) => sum + (cell.match(LINE_BREAK)?.length ?? 0), 0);
      if (cells.every(isBlank)) return null;
      if (!isDeclaration) begins.push(line);
      const row = isDeclaration ? null : cells;
      isDeclaration = false;
      return row;
    },
  });
  Readable.from(textsOf(file))
    .on('error', (error) => parser.destroy(error))
    .pipe(parser);
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) yield { line: begins.shift() ?? end, cells };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UnreadableFile({ line: end + 1, detail: MISTAKES[error.code] ?? error.message }, { cause: error });
  }
}

const QUOTE = 'a quotation mark inside a cell is written twice, and the cell stands in quotation marks';
const MISTAKES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark of this record is never closed',
  CSV_MAX_RECORD_SIZE: 'the record is too long: perhaps a quotation mark is never closed',
  CSV_INVALID_CLOSING_QUOTE: QUOTE,
  INVALID_OPENING_QUOTE: QUOTE,
};

const DELIMITERS = [',', ';', '\t'] as const;

/** A first line that names the delimiter to spreadsheets. */
const DECLARATION = /^sep=([^"])$/i;

interface Delimiter {
  readonly delimiter: string;
  /** Whether the first line says it, which is no header then. */
  readonly isDeclared: boolean;
}

/**
 * The declared one, or the one that is most often in the header, outside of quotation marks: spreadsheets choose it by
 * their language.
 */
async function delimiterOf(file: string): Promise<Delimiter> {
  const first = await firstLineOf(file);
  const [, declared] = DECLARATION.exec(first) ?? [];
  if (declared !== undefined) return { delimiter: declared, isDeclared: true };
  const header = first.replaceAll(/"[^"]*"/g, '');
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: header.split(delimiter).length }));
  const { delimiter } = counted.reduce((most, each) => (each.count > most.count ? each : most));
  return { delimiter, isDeclared: false };
}

/** The first line that is not blank, or as much of it as a record may have; empty where there is none. */
async function firstLineOf(file: string): Promise<string> {
  let rest = '';
  for await (const text of textsOf(file)) {
    const lines = (rest + text).split(LINE_BREAK);
    rest = lines.pop() ?? '';
    const found = lines.find((line) => !isBlank(line));
    if (found !== undefined || rest.length > LONGEST_RECORD) return found ?? rest;
  }
  return rest;
}
