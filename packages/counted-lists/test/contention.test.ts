import { Contended, Contention, listErrors } from '@custodia/counted-lists';
import { beforeEach, describe, expect, it } from 'vitest';

/** How often a request tries while others write the same items; over HTTP: `test/http/contention.test.ts`. */

const key = { PK: 'ORG#t#CLIENT', SK: '000000000007' };
const named = { key, id: '87d6100d-2b60-4b6c-b62f-c05eb3048da4' };

/** The calls that the request has made. */
let calls = 0;
beforeEach(() => {
  calls = 0;
});
const observer = { count: () => undefined, countUnits: () => undefined, callsMade: () => calls };

/** A request, the clock of which stands still unless it is moved. */
function request({ cutsOff = false, deadline = 18_000, numbers = 0, record = named } = {}) {
  let now = 0;
  const contention = new Contention({ clock: () => now, deadline, observer }, () => numbers);
  contention.bound(cutsOff);
  contention.beginRun();
  contention.name(record);
  /** The error after so many refused tries, if there is no further one. */
  const refusedAfter = (most: number, met = [key], pause = 0): [tries: number, error: Error | undefined] => {
    for (let tries = 1; tries <= most; tries++) {
      contention.noteMet(met);
      const error = contention.refusal(new Error('met'), pause, 1);
      if (error !== undefined) return [tries, error];
    }
    return [most, undefined];
  };
  return { contention, refusedAfter, wait: (ms: number) => (now += ms) };
}

const contended = (isOfNamedRecord: boolean) => expect.objectContaining({ name: 'Contended', isOfNamedRecord });

describe('a request', () => {
  it.each([
    ['is the record itself', key],
    ['belongs to it by its partition', { PK: `ORG#t#CLIENT#${named.id}#ACTION`, SK: '1' }],
    ['belongs to it by its sort key', { PK: 'ORG#t#DELIVERY', SK: named.id }],
  ])('gives up after eight tries where what it meets %s', (_, met) => {
    expect(request().refusedAfter(50, [{ PK: 'ORG#t#OTHER', SK: 'x' }, met])).toEqual([8, contended(true)]);
  });

  it('does not where it meets another record, or what only looks like its own', () => {
    const others = [
      { ...key, SK: '000000000008' },
      { PK: 'ORG#t#TICKET', SK: key.SK },
      { PK: 'ORG#t#DELIVERY', SK: `${named.id}0` },
    ];
    expect(request().refusedAfter(50, others)).toEqual([50, undefined]);
    expect(request().refusedAfter(50, [])).toEqual([50, undefined]);
  });

  it('does not where it names an organization, and meets another item of it', () => {
    const record = { key: { PK: `ORG#${named.id}#ORGANIZATION`, SK: '000000000001' }, id: named.id };
    const other = { PK: `ORG#${named.id}#CLIENT`, SK: '000000000007' };
    expect(request({ record }).refusedAfter(50, [other])).toEqual([50, undefined]);
    expect(request({ record }).refusedAfter(50, [other, record.key])).toEqual([8, contended(true)]);
  });

  it('gives up after three seconds, and at its deadline', () => {
    const { refusedAfter, wait } = request();
    expect(refusedAfter(1)).toEqual([1, undefined]);
    wait(3_000);
    expect(refusedAfter(1)).toEqual([1, undefined]);
    expect(refusedAfter(1, [key], 1)).toEqual([1, contended(true)]);
    expect(request({ deadline: 100 }).refusedAfter(1, [], 101)).toEqual([1, contended(false)]);
  });

  it('that cuts off goes on, until it is known that it does not', () => {
    const { contention, refusedAfter } = request({ cutsOff: true });
    expect(refusedAfter(20)).toEqual([20, undefined]);
    contention.giveUpEarly();
    expect(refusedAfter(1)).toEqual([1, contended(true)]);
    contention.beginRun();
    expect(refusedAfter(1)).toEqual([1, undefined]);
  });

  it.each([
    ['no number', 0, 37],
    ['two numbers', 2, 31],
    ['many numbers, which keep no more than four', 45, 25],
  ])('takes no try that would make more than forty calls, with those that follow: %s', (_, numbers, most) => {
    const { refusedAfter } = request({ numbers });
    calls += most;
    expect(refusedAfter(50, [])).toEqual([50, undefined]);
    calls += 1;
    expect(refusedAfter(1, [])).toEqual([1, contended(false)]);
    // But a second one.
    expect(request({ numbers }).refusedAfter(9, [])).toEqual([2, contended(false)]);
  });

  it('keeps calls for the release of the last run’s number before a further run', () => {
    calls += 12;
    const { contention } = request({ numbers: 2 });
    calls += 8;
    const refusals = Array.from({ length: 3 }, () => contention.refusal(new Error('met'), 0));
    expect(refusals).toEqual([undefined, undefined, undefined]);
    calls += 1;
    expect(contention.refusal(new Error('met'), 0)).toEqual(contended(false));
  });

  it('keeps none for calls that the last run has repeated', () => {
    const { contention } = request();
    calls += 10;
    for (let repeated = 0; repeated < 18; repeated++) {
      contention.meet([], new Error('met'), 0);
      calls += 1;
    }
    expect(contention.refusal(new Error('met'), 0)).toBeUndefined();
    calls += 1;
    expect(contention.refusal(new Error('met'), 0)).toEqual(contended(false));
  });

  it('repeats no call of a release beyond them', () => {
    const release = request({ numbers: 1 }).contention.ofRelease({ clock: () => 0, deadline: 1_000, observer });
    calls += 34;
    expect(() => release.meet([key], new Error('met'), 0)).not.toThrow();
    calls += 1;
    expect(() => release.meet([key], new Error('met'), 0)).toThrow(Contended);
  });

  it('does not say that nothing was changed where an attempt may be carried out yet', () => {
    const { contention, refusedAfter } = request();
    contention.noteNoResponse();
    expect(refusedAfter(50)).toEqual([8, expect.any(listErrors.TableUnavailable)]);
  });
});

it('work in the background tries until its deadline', () => {
  const contention = new Contention({ clock: () => 0, deadline: 0 });
  expect(Array.from({ length: 99 }, () => contention.refusal(new Error('met'), 1, 1))).toEqual(
    Array(99).fill(undefined),
  );
});
