import './quiet.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import '../support/dynamodb.ts';
import { complaintsOf, type Effect, type Entry } from './history.ts';
import { noCounts, soak } from './soak.ts';
import { setStage } from './stage.ts';

/** `npm run soak` plays on for as long as asked; here are a few. */
const RUNS = 40;

describe('many senders, few events, a bad network', () => {
  let clear: () => Promise<void>;
  beforeAll(async () => {
    clear = await setStage(inject('dynamoDbEndpoint'));
  });
  afterAll(() => clear());

  it('each event and each key has its effect exactly once', async () => {
    const counts = noCounts();
    await soak(Date.now() % 2 ** 31, RUNS, counts);
    expect(counts.runs).toBe(RUNS);
    for (const seen of [counts.ok, counts.fail, counts.unknown, counts.faults]) expect(seen).toBeGreaterThan(RUNS / 4);
  });
});

describe('the check of histories', () => {
  const entry = (changes: Partial<Entry>): Entry => ({
    kind: 'event',
    subject: 0,
    variant: 0,
    invoked: 0,
    returned: 1,
    status: 200,
    problem: undefined,
    crashed: false,
    record: undefined,
    replayed: false,
    ...changes,
  });
  const effect: Effect = { kind: 'event', subject: 0, variant: 0, record: 'a' };
  const lost = { status: 503, problem: 'unavailable' };
  const processed = { status: 409, problem: 'event-already-processed' };
  const reused = { status: 409, problem: 'event-id-reused' };

  it.each<[string, Entry[], Effect[]]>([
    ['done', [entry({})], [effect]],
    ['done, then told', [entry({}), entry({ invoked: 2, returned: 3, ...processed })], [effect]],
    [
      'told by one that was at work',
      [entry({ returned: 3 }), entry({ invoked: 1, returned: 2, ...processed })],
      [effect],
    ],
    ['done by one that got no answer', [entry(lost), entry({ invoked: 2, returned: 3, ...processed })], [effect]],
    [
      'died after it was done',
      [entry({ status: 500, crashed: true }), entry({ ...processed, invoked: 2, returned: 3 })],
      [effect],
    ],
    ['not done by one that got no answer', [entry(lost), entry({ invoked: 2, returned: 3 })], [effect]],
    ['another body', [entry({}), entry({ variant: 1, invoked: 2, returned: 3, ...reused })], [effect]],
  ])('finds nothing wrong: %s', (_, history, effects) => {
    expect(complaintsOf(history, effects)).toEqual([]);
  });

  it.each<[string, Entry[], Effect[]]>([
    ['two effects', [entry({})], [effect, { ...effect, record: 'b' }]],
    ['no effect', [entry({})], []],
    ['done twice', [entry({}), entry({ invoked: 2, returned: 3 })], [effect]],
    ['told before it was done', [entry({ invoked: 2, returned: 3 }), entry(processed)], [effect]],
    ['told, and done by nobody', [entry(processed)], [effect]],
    ['a false clash', [entry({}), entry({ status: 409, problem: 'already-exists' })], [effect]],
    ['an error of our own', [entry({}), entry({ status: 500, problem: 'internal-error' })], [effect]],
    ['the other body', [entry({ variant: 1 })], [effect]],
    ['reused with the same body', [entry({}), entry({ invoked: 2, returned: 3, ...reused })], [effect]],
    ['another record', [entry({ status: 201, record: 'b' })], [effect]],
  ])('finds what is wrong: %s', (_, history, effects) => {
    expect(complaintsOf(history, effects)).not.toEqual([]);
  });
});
