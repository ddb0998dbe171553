import { jobsBy } from '../records.ts';

/** Filter fields of every record of a list that is made in storage. */
export const SIZED_FIELDS = 6;

/** The field whose sets have a summary. */
export const SUMMARIZED = 'f6';

export const KINDS = {
  sized: jobsBy(SIZED_FIELDS, [SUMMARIZED]),
  searched: { ...jobsBy(SIZED_FIELDS), words: ['title'], orders: ['last_activity_at'] },
} as const;
export type KindName = keyof typeof KINDS;
