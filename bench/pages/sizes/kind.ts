import { jobsBy } from '../records.ts';

/** Filter fields of every record of a list that is made in storage. */
export const SIZED_FIELDS = 5;

export const SIZED_KIND = jobsBy(SIZED_FIELDS);
