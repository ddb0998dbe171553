import { jobsBy } from '../records.ts';

/** Filter fields of every record of a list that is made in storage. */
export const SIZED_FIELDS = 5;

export const KINDS = {
  sized: jobsBy(SIZED_FIELDS),
  searched: { ...jobsBy(SIZED_FIELDS), words: ['title'], orders: ['last_activity_at'] },
} as const;
export type KindName = keyof typeof KINDS;
