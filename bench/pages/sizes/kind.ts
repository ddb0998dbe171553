import { jobsBy } from '../records.ts';

/** Filter fields of every record of a list that is made in storage. */
export const SIZED_FIELDS = 6;

/** The field whose sets have a summary. */
export const SUMMARIZED = 'f6';

export const SIZED_KIND = jobsBy(SIZED_FIELDS, [SUMMARIZED]);
