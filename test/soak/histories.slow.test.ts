import { describe, expect, inject, it, onTestFinished } from 'vitest';
import '../support/dynamodb.ts';
import { Fleet } from './fleet.ts';
import { complaintsOf } from './history.ts';
import type { Found } from './reading.ts';
import type { Act, Entry } from './recorder.ts';
import { CLOCKS, noTally, play } from './run.ts';

/** `npm run soak` plays on for as long as asked, with a seed of its own; here is one history. */
const SEED = 1;
const STEPS = 15;

describe('four servers with clocks of their own, a bad network, a pause and a kill', () => {
  it('each request has its effect once, and every list shows it', async () => {
    const fleet = await Fleet.start(inject('dynamoDbEndpoint'), CLOCKS);
    onTestFinished(() => fleet.close());
    const tally = noTally();
    await play(fleet, SEED, STEPS, tally);
    expect(tally.requests).toBeGreaterThan(6 * STEPS);
    for (const seen of [tally.done, tally.faults]) expect(seen).toBeGreaterThan(0);
  });
});

describe('the check of histories', () => {
  const creation: Act = { do: 'create', kind: 'tickets', mark: 'a', fields: {}, via: 'request' };
  const deletion: Act = { do: 'delete', kind: 'tickets', id: '1' };
  const change = (description: string): Act => ({ do: 'change', kind: 'tickets', id: '1', fields: { description } });
  const list: Act = { do: 'list', kind: 'tickets', filter: {}, pageSize: 5 };
  const bySubject: Act = { ...list, sort: '-subject' };
  let time = 0;
  const entry = (act: Act, changes: Partial<Entry> = {}): Entry => ({
    act,
    server: 0,
    invoked: time++,
    returned: time++,
    status: act.do === 'create' ? 201 : 200,
    etag: null,
    body: act.do === 'create' ? { id: '1' } : {},
    ...changes,
  });
  const lost = { status: undefined, body: {} };
  const ticket = { id: '1', subject: 'a' };
  const other = { id: '2', subject: 'b' };
  const found = (tickets: readonly object[], version = 1): Found => ({
    records: { clients: [], services: [], resources: [], tickets: tickets as Found['records']['tickets'] },
    versions: new Map([['1', version]]),
    complaints: [],
  });

  it.each<[string, Entry[], Found]>([
    ['acknowledged and there', [entry(creation)], found([ticket])],
    ['without an answer, and there', [entry(creation, lost)], found([ticket])],
    ['without an answer, and not there', [entry(creation, lost)], found([])],
    ['deleted', [entry(creation), entry(deletion)], found([])],
    ['deleted without an answer', [entry(creation), entry(deletion, lost)], found([ticket])],
    ['changed', [entry(creation), entry(change('b'))], found([{ ...ticket, description: 'b' }], 2)],
    ['changed without an answer', [entry(creation), entry(change('b'), lost)], found([ticket], 2)],
    [
      'listed by a field',
      [entry(creation), entry(bySubject, { body: { total: 2, data: [other, ticket] } })],
      found([ticket]),
    ],
    ['listed', [entry(creation), entry(list, { body: { total: 1, data: [ticket] } })], found([ticket])],
  ])('finds nothing wrong: %s', (_, history, at) => {
    expect(complaintsOf(history, at)).toEqual([]);
  });

  it.each<[string, Entry[], Found]>([
    ['lost', [entry(creation)], found([])],
    ['twice', [entry(creation)], found([ticket, { ...ticket, id: '2' }])],
    ['under another id', [entry(creation)], found([{ ...ticket, id: '2' }])],
    ['answered under two ids', [entry(creation), entry(creation, { body: { id: '2' } })], found([ticket])],
    ['created by nobody', [], found([ticket])],
    ['deleted, and there', [entry(creation), entry(deletion)], found([ticket])],
    ['deleted twice', [entry(creation), entry(deletion), entry(deletion)], found([])],
    ['not found, and deleted by nobody', [entry(creation), entry(deletion, { status: 404 })], found([ticket])],
    [
      'an older value',
      [entry(creation), entry(change('b')), entry(change('c'))],
      found([{ ...ticket, description: 'b' }], 3),
    ],
    [
      'changed twice by one request',
      [entry(creation), entry(change('b'))],
      found([{ ...ticket, description: 'b' }], 3),
    ],
    ['an error of our own', [entry(creation, { status: 500 })], found([ticket])],
    ['missing in a list', [entry(creation), entry(list, { body: { total: 0, data: [] } })], found([ticket])],
    [
      'a total without what was acknowledged',
      [entry(creation), entry({ ...list, pageSize: 0 }, { body: { total: 0, data: [] } })],
      found([ticket]),
    ],
    [
      'another order',
      [entry(creation), entry(bySubject, { body: { total: 2, data: [ticket, other] } })],
      found([ticket]),
    ],
    ['a false total', [entry(creation), entry(list, { body: { total: 2, data: [ticket] } })], found([ticket])],
    [
      'shown after it was deleted',
      [entry(creation), entry(deletion), entry(list, { body: { total: 1, data: [ticket] } })],
      found([]),
    ],
  ])('finds what is wrong: %s', (_, history, at) => {
    expect(complaintsOf(history, at)).not.toEqual([]);
  });
});
