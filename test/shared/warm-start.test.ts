import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { configureTable, readWarmKey } from '#table';
import { warmStart } from '../../shared/warm-start.ts';
import { FaultyHandler } from '../support/faults.ts';
import { useTableOver } from '../support/storage.ts';

/** A clock that the test moves. */
function timersByHand() {
  const pending = new Map<number, () => void>();
  const waits: number[] = [];
  const timers = {
    setTimeout: (run: () => void, wait: number) => {
      pending.set(waits.push(wait), run);
      return waits.length;
    },
    clearTimeout: (id: number) => void pending.delete(id),
  };
  const elapse = (): void => {
    for (const run of pending.values()) run();
  };
  return { timers: timers as unknown as typeof globalThis, waits, pending, elapse };
}

describe('a warm start', () => {
  const failing: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a step that is refused', () => Promise.reject(new Error('AccessDenied'))],
    [
      'a step that throws at once',
      () => {
        throw new Error('TABLE_NAME is not set');
      },
    ],
  ];
  it.each(failing)('waits for its other steps, and never throws: %s', async (_, step) => {
    const { timers, pending, waits } = timersByHand();
    const done: string[] = [];
    await warmStart([step, async () => void done.push('the other')], timers);
    expect([done, waits, pending.size]).toEqual([['the other'], [500], 0]);
  });

  it('waits for a step that hangs until 500 ms have passed', async () => {
    const { timers, elapse, waits } = timersByHand();
    let isOver = false;
    let given: AbortSignal | undefined;
    const hanging = (signal: AbortSignal) => new Promise(() => (given = signal));
    const waiting = warmStart([hanging], timers).then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    expect([isOver, given?.aborted, waits]).toEqual([false, false, [500]]);
    elapse();
    await waiting;
    expect(given?.aborted).toBe(true);
  });
});

it('the warm key is read once, and of nothing else', async () => {
  const sent: object[] = [];
  class Recording extends FaultyHandler {
    override async handle(...given: Parameters<FaultyHandler['handle']>): ReturnType<FaultyHandler['handle']> {
      sent.push(JSON.parse(String(given[0].body)));
      return super.handle(...given);
    }
  }
  const network = new Recording();
  // It hears no engine: what is asked matters.
  network.follow(() => 'dropped');
  vi.stubEnv('TABLE_NAME', 'records');
  useTableOver(network, 1);
  onTestFinished(() => configureTable({}));
  await expect(readWarmKey(new AbortController().signal)).rejects.toThrow();
  await expect(readWarmKey(AbortSignal.abort())).rejects.toThrow('aborted');
  expect(network.calls).toEqual(['GetItem']);
  expect(sent).toEqual([expect.objectContaining({ Key: { PK: { S: 'WARM#' }, SK: { S: 'START' } } })]);
});
