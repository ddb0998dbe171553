import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { UnreadableFile } from './findings.ts';
import { LONGEST_RECORD, linesOf, textsOf } from './text.ts';

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
  const parser = parse({
    delimiter: await delimiterOf(file),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: LONGEST_RECORD,
  });
  Readable.from(textsOf(file))
    .on('error', (error) => parser.destroy(error))
    .pipe(parser);
  let end = 0;
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) {
      const line = end + 1;
      // Not by the parser's own count: to that, a line break of two characters in a cell is two.
      end = line + cells.reduce((sum, cell) => sum + (cell.match(LINE_BREAK)?.length ?? 0), 0);
      if (cells.some((cell) => cell.trim() !== '')) yield { line, cells };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UnreadableFile({ line: end + 1, detail: MISTAKES[error.code] ?? error.message }, { cause: error });
  }
}

const LINE_BREAK = /\r\n|\n|\r/g;

const QUOTE = 'a quotation mark inside a cell is written twice, and the cell stands in quotation marks';
const MISTAKES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark of this record is never closed',
  CSV_MAX_RECORD_SIZE: 'the record is too long: perhaps a quotation mark is never closed',
  CSV_INVALID_CLOSING_QUOTE: QUOTE,
  INVALID_OPENING_QUOTE: QUOTE,
};

const DELIMITERS = [',', ';', '\t'] as const;

/** The one that is most often in the header, outside of quotation marks: spreadsheets choose it by their language. */
async function delimiterOf(file: string): Promise<string> {
  for await (const { text } of linesOf(file)) {
    const header = text.replaceAll(/"[^"]*"/g, '');
    const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: header.split(delimiter).length }));
    return counted.reduce((most, each) => (each.count > most.count ? each : most)).delimiter;
  }
  return ',';
}
