import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Admission } from '../../local/gateway/admission.ts';

/** Which requests the local gateway works on, which wait, and which are refused. */

let now = 0;
beforeEach(() => {
  now = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

const admissionOf = (inFlight: number, waitMs = 2_000) => new Admission({ inFlight, waitMs }, () => now);

/** Enters requests of these names in order; `admitted` has those that have a place. */
function entering(admission: Admission) {
  const places = new Map<string, Disposable>();
  const refused: string[] = [];
  const enter = (name: string, bytes = 0): void => {
    admission.enter(bytes).then(
      (place) => void places.set(name, place),
      () => void refused.push(name),
    );
  };
  const settle = () => vi.advanceTimersByTimeAsync(0);
  /** Ends a request after so many milliseconds. */
  const end = async (name: string, ms: number): Promise<void> => {
    now += ms;
    places.get(name)?.[Symbol.dispose]();
    places.delete(name);
    await settle();
  };
  return { enter, end, settle, refused, admitted: () => [...places.keys()] };
}

it('who came first is served first', async () => {
  const { enter, end, settle, admitted, refused } = entering(admissionOf(2));
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name);
  await settle();
  expect(admitted()).toEqual(['a', 'b']);
  await end('b', 1);
  expect(admitted()).toEqual(['a', 'c']);
  // Who comes now does not overtake those that wait.
  enter('f');
  await end('a', 1);
  await end('c', 1);
  await end('d', 1);
  expect([admitted(), refused]).toEqual([['e', 'f'], []]);
  await end('e', 1);
  await end('f', 1);
  enter('g');
  enter('h');
  enter('i');
  await settle();
  expect(admitted()).toEqual(['g', 'h']);
});

it('who would wait too long is refused at once, by the time that the latest requests took', async () => {
  const { enter, end, settle, admitted, refused } = entering(admissionOf(2));
  for (let count = 0; count < 400; count++) {
    enter('slow');
    await settle();
    await end('slow', 100);
  }
  for (const name of ['a', 'b']) enter(name);
  // Two at a time, 100 ms each: the 40th that waits has its turn after 2 s.
  for (let index = 1; index <= 42; index++) enter(`${index}`);
  await settle();
  expect([admitted(), refused]).toEqual([
    ['a', 'b'],
    ['41', '42'],
  ]);
  await end('a', 100);
  enter('again');
  await settle();
  expect(refused).not.toContain('again');
});

it('who has waited too long is refused, and takes nobody’s place', async () => {
  const { enter, end, settle, admitted, refused } = entering(admissionOf(1));
  for (const name of ['a', 'b', 'c']) enter(name);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(refused).toEqual([]);
  enter('d');
  await vi.advanceTimersByTimeAsync(1);
  expect(refused).toEqual(['b', 'c']);
  await end('a', 2_000);
  expect(admitted()).toEqual(['d']);
  await end('d', 1);
  enter('e');
  await settle();
  expect(admitted()).toEqual(['e']);
});

it('bodies that wait are bounded, and so is their number', async () => {
  const { enter, end, settle, refused } = entering(admissionOf(1, 1e9));
  enter('a', 1e9);
  for (const name of ['b', 'c', 'd']) enter(name, 25_000_000);
  await settle();
  expect(refused).toEqual(['d']);
  await end('a', 1);
  enter('e', 25_000_000);
  for (let index = 0; index < 2_000; index++) enter(`${index}`);
  await settle();
  expect(refused).toEqual(['d', '1998', '1999']);
});
