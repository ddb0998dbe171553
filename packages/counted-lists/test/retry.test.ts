import { listErrors, retry } from '@custodia/counted-lists';
import { expect, it, vi } from 'vitest';
import { Unprocessed } from '../src/table.ts';

it('sends nothing more for a process that was paused between two attempts until after its deadline', async () => {
  const clock = vi.fn(() => 3_600_000).mockReturnValueOnce(0);
  const call = vi.fn(() => Promise.reject(new Unprocessed('not all was done')));
  await expect(retry(call, { clock, deadline: 1_000 })).rejects.toThrow(listErrors.TableUnavailable);
  expect(call).toHaveBeenCalledTimes(1);
});
