import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '#table';
import { kinds } from '../../functions/events/kinds.static.ts';
import { visibleTo } from '../../functions/events/visible.ts';

const all = [...new Set(kinds.map(({ permission }) => permission))];
const events = kinds.flatMap(({ types, permission }) =>
  types.map((type) => ({ event: { type } as JournalEvent, permission })),
);

describe.each(events)('$event.type', ({ event, permission }) => {
  it('is seen with the permission to read or write its record, and with no others', () => {
    const area = permission.replace(/:read$/, '');
    const seenWith = [null, [permission], [`${area}:write`], all.filter((code) => code !== permission), []];
    expect(seenWith.map((permissions) => visibleTo(permissions)(event))).toEqual([true, true, true, false, false]);
  });
});

it('is seen only where its type is wanted', () => {
  const [one, other] = events.map(({ event }) => event) as [JournalEvent, JournalEvent];
  const wanted = (types: readonly string[] | null) => [one, other].map(visibleTo(null, types));
  expect([wanted(null), wanted([one.type]), wanted([])]).toEqual([
    [true, true],
    [true, false],
    [false, false],
  ]);
  expect(visibleTo(null)({ ...one, type: 'client.renamed' })).toBe(false);
});
