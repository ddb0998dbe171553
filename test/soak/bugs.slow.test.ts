import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import '../support/dynamodb.ts';
import { BUGS } from './bugs.ts';
import { DRILLS } from './drills.ts';
import { Fleet } from './fleet.ts';
import { complaintsOf } from './history.ts';
import { readAll } from './reading.ts';
import { Recorder } from './recorder.ts';

/** What a history looks like in which a bug shows, and what the same history looks like without it. */

const MINUTE = 60_000;

let fleet: Fleet;
let sound: number;
beforeAll(async () => {
  fleet = await Fleet.start(inject('dynamoDbEndpoint'), [{ ahead: 0 }]);
  sound = await fleet.add({ ahead: MINUTE });
});
afterAll(() => fleet.close());

/** Plays a drill, and says what the check of histories and `custodia verify` complain of. */
async function play(name: string, server: number): Promise<{ readonly history: string[]; readonly table: string[] }> {
  const recorder = new Recorder(fleet, await fleet.organization());
  await DRILLS[name]?.(recorder, server);
  const found = await readAll(recorder, server);
  return { history: complaintsOf(recorder.history, found), table: await fleet.verify(recorder.organization) };
}

it('has a drill for each bug', () => {
  expect(Object.keys(DRILLS).toSorted()).toEqual(BUGS.map(({ name }) => name).toSorted());
});

describe.each(BUGS)('$name', ({ name, isInTable }) => {
  it('is complained of', async () => {
    const server = await fleet.add({ ahead: MINUTE, bug: name });
    const { history, table } = await play(name, server);
    await fleet.servers[server]?.kill();
    expect(history).not.toEqual([]);
    expect(table.length > 0, table.join('\n')).toBe(isInTable);
  });

  it('is not complained of where it is not', async () => {
    expect(await play(name, sound)).toEqual({ history: [], table: [] });
  });
});
