import { listErrors, UnitOfWork } from '@custodia/counted-lists';
import { expect, it } from 'vitest';

const KEY = { PK: 'ORG#7#JOB', SK: '000000000000' };
const unexpected = (found = {}) => new listErrors.Unexpected(KEY, found);
const setting = (work: UnitOfWork, state: string) =>
  work.expect(KEY, (staged, found) =>
    staged.update(KEY, {
      set: { state },
      condition: { equals: { state: found?.state ?? 'open' } },
      onConditionFailed: unexpected,
    }),
  );

it('stages changes for an expected state once, where they are the same', () => {
  const work = new UnitOfWork();
  setting(work, 'done');
  setting(work, 'done');
  expect(work.writes).toMatchObject([{ key: KEY, set: { state: 'done' }, condition: { equals: { state: 'open' } } }]);
});

it('refuses others that depend on the state of the same item, by its key', () => {
  const work = new UnitOfWork();
  setting(work, 'done');
  expect(() => setting(work, 'lost')).toThrow('ORG#7#JOB\n000000000000');
  expect(work.writes).toMatchObject([{ set: { state: 'done' } }]);
});

it.each([
  ['sums', { add: { open_jobs: -1 } }],
  ['conditions of what is staged beside them', { condition: { moreThan: { open_jobs: 1 } } }],
])('refuses %s that are the same: one of them would be lost', (_, change) => {
  const work = new UnitOfWork();
  const stage = () => work.expect(KEY, (staged) => staged.update(KEY, { ...change, onConditionFailed: unexpected }));
  stage();
  expect(stage).toThrow(KEY.PK);
});
