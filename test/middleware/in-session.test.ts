import { beforeEach, expect, it, vi } from 'vitest';
import { inSession } from '../../shared/http/middleware/in-session.ts';
import { configureTable } from '../../shared/table/connection/client.ts';
import type { Session } from '../../shared/table/session.ts';
import { chainEvent, lambdaContext, through } from '../support/chain.ts';

const NOW = Date.parse('2026-11-20T09:30:00.000Z');
const clock = () => NOW;

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'things');
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  configureTable({});
});

async function sessionOf(remaining: number): Promise<Session> {
  const event = chainEvent();
  await through([inSession(clock)], event, undefined, lambdaContext(remaining));
  return event.session;
}

it('a request is in a session of its own, at the time of the clock and with the table of the environment', async () => {
  const session = await sessionOf(10_000);
  expect([session.now, session.clock, session.table.name]).toEqual([NOW, clock, 'things']);
  expect(await sessionOf(10_000)).not.toBe(session);
});

it.each([
  ['stops in time to answer', 10_000, 8_500],
  ['takes no longer than a caller would wait', 60_000, 18_000],
  ['has no time where the function has none', 1_000, -500],
])('it %s: of %i ms left it takes %i', async (_, remaining, patience) => {
  expect((await sessionOf(remaining)).deadline - NOW).toBe(patience);
});

it('a function without a table answers nothing', async () => {
  vi.stubEnv('TABLE_NAME', '');
  await expect(sessionOf(10_000)).rejects.toThrow('TABLE_NAME is not set');
});
