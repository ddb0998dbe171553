import { HEAD, setPartition } from '../keys.ts';
import { STRIPES } from '../lists/bits.ts';
import { builtIn } from '../lists/head.ts';
import { indexesOf } from '../repository/list-indexes.ts';
import { changed, type Difference, type Scope, settle, type Verified } from './difference.ts';
import { doubtfulGaps } from './gaps.ts';
import { lookAtNumber } from './number.ts';
import { inLanes, sideBySide } from './reading.ts';
import { readHead, type Survey, surveyOf } from './survey.ts';

/**
 * Verifies filters that were added later: the records missing in their lists are reported in one line. Once there are none, the filter is noted
 * in the list's head, and from then on its lists are served.
 */

const ROUNDS = 5;

/** @param found the records that are missing in the lists of a filter, or were until they were repaired */
export async function verifyFilters(scope: Scope, survey: Survey, found: readonly Verified[]): Promise<Verified[]> {
  const { entity, partition, count } = survey;
  const head = await readHead(scope, partition);
  const isBuilt = (field: string): boolean => head.NEXT === undefined || builtIn(head).includes(field);
  const byField = Map.groupBy(found, ({ field }) => field ?? '');
  const doubtful = indexesOf(entity).filter((field) => byField.has(field) || !isBuilt(field));
  if (doubtful.length === 0) return [];
  const isComplete =
    scope.repair && found.every(({ repaired }) => repaired) && (await isEverythingNoted(scope, survey));
  return sideBySide(doubtful, async (field): Promise<Verified[]> => {
    const missing = byField.get(field)?.length ?? 0;
    const text = isBuilt(field)
      ? `${entity.name} ${missing} of ${count} records are missing in the lists by ${field}`
      : `${entity.name} the lists by ${field} are not built: ${missing} of ${count} records are missing in them`;
    const difference: Difference = { kind: 'filter-not-built', entity: entity.name, field, text };
    const reason = byField.get(field)?.find((each) => each.reason !== undefined)?.reason;
    if (!isComplete || isBuilt(field)) return [{ ...difference, repaired: isComplete, reason }];
    await note(scope, survey, field);
    return [{ ...difference, repaired: await isInFlightSettled(scope, survey) }];
  });
}

/**
 * Fences the numbers of writers that took them before the filter was noted, and so may not know of the filter: they must take other numbers, and
 * learn of it then.
 * @returns whether all records are in the lists of all filters afterwards
 */
async function isInFlightSettled(scope: Scope, { entity }: Survey): Promise<boolean> {
  const survey = await surveyOf(scope, entity);
  const fenceAtOnce = Number.POSITIVE_INFINITY;
  await lookAtEach(await doubtfulGaps(scope, survey), (number) =>
    settle(scope, () => lookAtNumber(scope, survey, number, [], fenceAtOnce)),
  );
  return isEverythingNoted(scope, survey);
}

/** Whether all records are in the lists of all filters. Those that another release has written meanwhile are repaired first. */
async function isEverythingNoted(scope: Scope, { entity }: Survey): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const survey = await surveyOf(scope, entity);
    if (survey.unnoted.length === 0) return true;
    await lookAtEach(survey.unnoted, (number) => settle(scope, () => lookAtNumber(scope, survey, number, [])));
  }
  return false;
}

/** Numbers whose bits are in one item are verified one after another, to avoid conflicts. */
const lookAtEach = (numbers: readonly number[], look: (number: number) => Promise<Verified[]>): Promise<Verified[]> =>
  inLanes(numbers, (number) => number % STRIPES, look);

/** Notes a filter in the head of its list. */
async function note(scope: Scope, { entity, partition }: Survey, field: string): Promise<void> {
  await settle(scope, async () => {
    const { FILTERS: filters } = await readHead(scope, partition);
    const built = builtIn({ FILTERS: filters });
    if (built.includes(field)) return { differences: [] };
    return {
      differences: [{ kind: 'filter-not-built', entity: entity.name, field, text: field }],
      repair: (work) =>
        work.update(
          { PK: setPartition(partition), SK: HEAD },
          {
            set: { FILTERS: [...built, field] },
            condition: { equals: { FILTERS: filters } },
            onConditionFailed: changed,
          },
        ),
    };
  });
}
