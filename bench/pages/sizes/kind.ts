import { entity, order, words } from '../../../shared/table/index.ts';
import { type Job, jobsBy } from '../records.ts';

/** Filter fields of every record of a list that is made in storage. */
export const SIZED_FIELDS = 5;

const sized = jobsBy(SIZED_FIELDS);
const searches = [words<keyof Job>(['title']), order<keyof Job>('last_activity_at')];

export const KINDS = {
  sized,
  searched: entity<Job>('JOB', { indexes: [...sized.indexes, ...searches] as never }),
} as const;
export type KindName = keyof typeof KINDS;
