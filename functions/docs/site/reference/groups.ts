import { type Operation, openApi, operations } from './document.ts';
import { recordsIn, recordsOf } from './records.ts';

/** What the pages of the reference are about: one of each tag. */

export interface Group {
  /** The name of its page: `reference-clients`. */
  readonly page: string;
  /** The anchor of its heading: `of-clients`. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /** With sections of their own. */
  readonly records: readonly string[];
}

/** In the order of the document. */
export const groups: readonly Group[] = openApi.tags.map(({ name, description }) => {
  const slug = name.toLowerCase().replaceAll(' ', '-');
  return {
    page: `reference-${slug}`,
    id: `of-${slug}`,
    title: name,
    description,
    operations: operations.filter(({ tag }) => tag === name),
    records: recordsOf(name),
  };
});

/** All records that its page describes. */
export const recordNames = ({ operations, records }: Group): readonly string[] => [
  ...records,
  ...operations.flatMap(recordsIn),
];
