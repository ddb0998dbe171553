import { bucketKey, countPartition } from '../keys.ts';
import type { Work } from '../work.ts';
import { holePlace } from './holes.ts';

/** Stages that a number of a list holds no record from now on. Adding is exact: a transaction is carried out once. */
export function stageHole(work: Work, list: string, number: number): void {
  const { bucket, word, bit } = holePlace(number);
  work.update({ PK: countPartition(list), SK: bucketKey(bucket) }, { add: { [word]: bit } });
}
