import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findEngine } from '../../local/dynamodb/choose.ts';
import { requester } from '../support/api.ts';
import { freshDirectory } from '../support/directory.ts';
import { PATIENCE } from '../support/patience.ts';
import { canListProcesses, isRunning } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { childrenOf, ON_DYNOXIDE, start } from './start-fixture.ts';

/**
 * Deliveries of `npm start`, which follows DynamoDB Local's stream and dynoxide's journals: they survive its end,
 * orderly or not.
 */

const CLIENTS = 12;
const MIDDLE = CLIENTS / 2;

/** An organization in a started API, with an endpoint at this address. */
async function organizationAt(api: string, { url, prove }: Pick<Receiver, 'url' | 'prove'>) {
  const request = requester(api);
  const post = async <T extends object>(path: string, body: object, token?: string): Promise<T> => {
    const response = await request<T>('POST', `/api/v1${path}`, { body, ...(token !== undefined && { token }) });
    expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
    return response.body;
  };
  const key = await post<{ secret: string }>('/integrations', { app_code: 'acme', display_name: 'Acme' });
  const credentials = { app_code: 'acme', secret: key.secret };
  const { access_token: token } = await post<{ access_token: string }>('/auth/login', credentials);
  const endpoint = { url, event_types: ['client.created'] };
  prove((await post<{ secret: string }>('/webhook-endpoints', endpoint, token)).secret);
  const create = async (slug: string): Promise<string> =>
    (await post<{ id: string }>('/clients', { name: 'Bistro', slug }, token)).id;
  return { token, create };
}

/** A receiver that never responds to the deliveries that it is told to hold, and accepts all others. */
async function holding() {
  let held: (() => void) | undefined;
  let left = Number.POSITIVE_INFINITY;
  const receiver = await startReceiver(() => {
    left -= 1;
    if (left > 0) return 204;
    held?.();
    return new Promise(() => undefined);
  });
  onTestFinished(receiver.close);
  /** Accepts so many before it holds one. Resolves when that has come. */
  const hold = (after: number): Promise<void> => {
    left = after + 1;
    return new Promise((resolve) => {
      held = () => {
        left = Number.POSITIVE_INFINITY;
        resolve();
      };
    });
  };
  return { receiver, hold };
}

describe.skipIf(!canListProcesses).each([
  { engine: 'java', variables: {} },
  { engine: 'dynoxide', variables: ON_DYNOXIDE },
] as const)('on $engine', async ({ engine, variables }) => {
  it.skipIf('missing' in (await findEngine(engine)))(
    'a process that is killed in the middle of a backlog leaves nothing out, the next goes on in order, and ends without waiting for a delivery',
    async () => {
      const { receiver, hold } = await holding();
      const held = hold(MIDDLE);
      const DATA_DIR = await freshDirectory();
      const first = start({ ...variables, DATA_DIR });
      const { create, token } = await organizationAt(await first.ready(), receiver);
      const ids: string[] = [];
      for (const number of Array(CLIENTS).keys()) ids.push(await create(`client-${number}`));
      await held;
      const children = childrenOf(first);
      await first.signal('SIGKILL');
      await vi.waitUntil(() => !children.some(isRunning), { timeout: PATIENCE });

      const second = start({ ...variables, DATA_DIR });
      const request = requester(await second.ready());
      const events = await receiver.until((all) => new Set(all.map(({ record_id }) => record_id)).size === CLIENTS);
      const received = events.map(({ record_id }) => record_id);
      expect([...new Set(received)]).toEqual(ids);
      // That to which there was no response. The one before it, where the last write of an engine is lost.
      const repeated = received.filter((id, index) => received.indexOf(id) !== index);
      expect(repeated).toContain(ids[MIDDLE]);
      expect(ids.slice(MIDDLE - 1, MIDDLE + 1)).toEqual(expect.arrayContaining(repeated));

      const heldAgain = hold(0);
      const body = { name: 'Bistro', slug: 'last' };
      expect(await request('POST', '/api/v1/clients', { token, body })).toMatchObject({ status: 201 });
      await heldAgain;
      expect(await second.signal('SIGTERM')).toBe(0);
      expect(second.output()).not.toMatch(/ERROR|WARN/);
    },
  );
});
