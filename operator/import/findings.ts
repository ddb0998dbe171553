import { OperatorProblem } from '../problem.ts';

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
