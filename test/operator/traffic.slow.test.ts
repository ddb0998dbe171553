import { afterAll, beforeAll, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { prepareTraffic, READS, ROUND, Tally, WRITES } from '../../operator/traffic.ts';
import { type Api, startApi } from '../support/api.ts';

/** What is sent to a stage while a canary runs, sent to the API on this machine. */

/** What was asked for, as method and path. */
const seen: string[] = [];
/** Requests for these paths get a 500 from now on. */
let broken: RegExp | undefined;

let api: Api;
beforeAll(async () => {
  api = await startApi({
    around: async ({ method, target }, serve) => {
      seen.push(`${method} ${target}`);
      const ended = await serve();
      const { reply } = ended as typeof ended & { reply: object };
      if (broken?.test(`${method} ${target}`)) Object.assign(reply, { status: 500 });
      return ended;
    },
  });
});
afterAll(() => api.close());

/** Sends this many requests, or a few more. */
async function send(key: { readonly appCode: string; readonly secret: string }, requests: number) {
  const ending = new AbortController();
  let turns = 0;
  const wait = async () => {
    turns += 1;
    if (turns >= requests) ending.abort();
  };
  const run = await prepareTraffic({ base: `${api.url}/`, ...key, rate: 4, signal: ending.signal, wait });
  return run?.();
}

/** What is left of ours in the organization. */
async function left(token: string): Promise<unknown[]> {
  const lists = await Promise.all(
    Object.keys(WRITES).map((path) => api.request<{ total: number }>('GET', `${path}?page_size=1`, { token })),
  );
  return lists.map(({ body }) => body.total);
}

it('calls every domain in a round', () => {
  const paths = new Set(READS.map(({ path }) => path));
  const uncalled = contracts.filter(({ routes }) =>
    Object.values(routes).every(
      ({ method, path }) => path !== '/api/v1/batch' && (method !== 'GET' || !paths.has(path)),
    ),
  );
  // Each round logs in; attachments are below a ticket; alerts would leave tickets; tools of agents are these reads.
  expect(uncalled.map(({ name }) => name).toSorted()).toEqual(['alerts', 'attachments', 'auth', 'mcp']);
});

/** Deletions that nobody tries on a stage in use: of who signs in and may do what, of what others see, and of what is in the trash. */
const LEFT_ALONE = ['identity-providers', 'memberships', 'users', 'maintenance-windows', 'trash', 'webhook-endpoints'];

it('writes whatever can be deleted again, and nothing else', () => {
  const deletable = contracts.flatMap(({ routes }) =>
    Object.values(routes).flatMap(({ method, path }) => (method === 'DELETE' ? [path.replace('/{id}', '')] : [])),
  );
  // What is below a ticket goes with it. An endpoint would be told of the records that others change meanwhile.
  const harmless = deletable.filter(
    (path) => !path.includes('{') && !LEFT_ALONE.some((kind) => path === `/api/v1/${kind}`),
  );
  expect(Object.keys(WRITES).toSorted()).toEqual(harmless.toSorted());
});

it('gets the expected responses from a stage that works, and leaves no records', async () => {
  const org = await api.orgToken();
  const tally = await send(org, ROUND + 5);
  expect(tally?.lines()).toEqual([expect.stringMatching(/^\d+ requests, 0 not answered as expected$/)]);
  expect(tally?.requests).toBeGreaterThan(ROUND);
  expect(await left(org.token)).toEqual([0, 0, 0]);
  const clients = () => api.request<{ total: number }>('GET', '/api/v1/clients', { token: org.token });
  expect((await clients()).body.total).toBe(1);
  await send(org, 5);
  expect((await clients()).body.total).toBe(1);
});

it('says what fails, by method and path without ids, and that it is no accident', async () => {
  const org = await api.orgToken();
  broken = /^(PATCH \/api\/v1\/tickets|GET \/api\/v1\/users)/;
  const tally = await send(org, 3 * ROUND).finally(() => {
    broken = undefined;
  });
  expect(tally?.isBad).toBe(true);
  expect(tally?.lines()).toEqual([
    expect.stringMatching(/ not answered as expected$/),
    expect.stringMatching(/^ {2}GET \/api\/v1\/users was answered with 500, \d times$/),
    expect.stringMatching(/^ {2}PATCH \/api\/v1\/tickets\/\{id\} was answered with 500, \d times$/),
  ]);
  expect(await left(org.token)).toEqual([0, 0, 0]);
});

it('sends nothing with a key that is refused, or is none of an organization', async () => {
  const org = await api.orgToken();
  await expect(send({ ...org, secret: 'cst_wrong' }, 1)).rejects.toThrow(
    / must be an active key of an organization that may write: 401 /,
  );
  const key = { app_code: 'canary-platform', display_name: 'Platform' };
  const made = await api.request<{ secret: string }>('POST', '/api/v1/integrations', {
    token: await api.platformToken(),
    body: { ...key, org_id: null },
  });
  await expect(send({ appCode: key.app_code, secret: made.body.secret }, 1)).rejects.toThrow(
    / of an organization that may write: 422 /,
  );
});

it('does not stand in the way of what mends a stage that is down', async () => {
  const org = await api.orgToken();
  broken = /auth\/login$/;
  expect(
    await send(org, 1).finally(() => {
      broken = undefined;
    }),
  ).toBeUndefined();
  const key = { appCode: 'a', secret: 'b', rate: 1, signal: AbortSignal.abort() };
  expect(await prepareTraffic({ base: 'http://127.0.0.1:1', ...key })).toBeUndefined();
});

it('distinguishes an accident from a failure, as the alarms of a canary do', () => {
  const tallied = (requests: number, unexpected: number): boolean => {
    const tally = new Tally();
    for (let each = 0; each < requests; each += 1) {
      tally.add('GET', '/', each >= unexpected ? 200 : 500);
    }
    return tally.isBad;
  };
  expect([tallied(20, 2), tallied(20, 3), tallied(400, 3), tallied(400, 4)]).toEqual([false, true, false, true]);
});
