import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable } from '#table';
import { keepMirror, type Mirror } from '../../examples/mirror.ts';
import { createCustodia } from '../../packages/client/src/index.ts';
import { type ApiDriver, apiDriverOf, type Responded } from '../http/api-driver.ts';
import { byExtent } from '../support/extent.ts';
import { PausingHandler } from '../support/pauses.ts';
import { useApi } from '../support/use-api.ts';

/**
 * The promise of `docs/events.md`, "A mirror": whoever takes a cursor, reads each list from its last page to its first
 * and then follows the feed has the records as they are, whatever others create, change and delete between any two of
 * its requests, and however late their commits are.
 */

const api = useApi();
const handler = new PausingHandler();
beforeAll(() => configureTable({ ...localConnection(), requestHandler: handler }));

const LISTS = { Ticket: 'tickets', Service: 'services', Client: 'clients' } as const;
/** Derived from other records, or never in an event. */
const LEFT_OUT = ['services_count', 'total_resources', 'has_risks', 'last_contact', 'credentials'];

const act = fc.record({
  does: fc.constantFrom('create', 'change', 'delete', 'delete'),
  list: fc.constantFrom('tickets', 'tickets', 'tickets', 'services', 'clients'),
  which: fc.nat(),
  /** Its commit waits for so many requests of the reader. */
  waits: fc.option(fc.nat(6), { nil: 0, freq: 2 }),
});
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

/** Others who write, an act before each request of the reader. */
class Writers {
  readonly #driver: ApiDriver;
  readonly #clientId: string;
  readonly #acts: Act[];
  readonly #known = new Map<string, string[]>();
  #waiting: { left: number; readonly end: () => Promise<unknown> }[] = [];

  constructor(driver: ApiDriver, clientId: string, acts: readonly Act[]) {
    this.#driver = driver;
    this.#clientId = clientId;
    this.#acts = [...acts];
  }

  get areDone(): boolean {
    return this.#acts.length === 0 && this.#waiting.length === 0;
  }

  async create(list: string): Promise<void> {
    const client_id = this.#clientId;
    const body = {
      clients: { name: 'Acme' },
      services: { name: 'Shop', type: 'web', client_id },
      tickets: { subject: 'Help', description: '', source: 'web', contact_id: client_id },
    }[list];
    const { id } = await this.#driver.create(`/${list}`, body ?? {});
    this.#known.set(list, [...(this.#known.get(list) ?? []), id]);
  }

  async act(): Promise<void> {
    const next = this.#acts.shift();
    if (next !== undefined) await this.#begin(next);
    for (const one of this.#waiting) if (one.left-- === 0) await one.end();
    this.#waiting = this.#waiting.filter(({ left }) => left >= 0);
  }

  async #begin(next: Act): Promise<void> {
    if (next.waits === 0 || this.#waiting.length > 0) {
      await this.#do(next);
      return;
    }
    const paused = handler.pauseBefore('TransactWriteItems');
    const done = this.#do(next);
    // A change to what is there already commits nothing: the pause must not wait for another's commit.
    await Promise.race([paused.reached, done.then(paused.release)]);
    const end = () => {
      paused.release();
      return done;
    };
    this.#waiting.push({ left: next.waits, end });
  }

  async #do({ does, list, which }: Act): Promise<void> {
    const known = this.#known.get(list) ?? [];
    const path = `/${list}/${known[which % known.length]}`;
    if (does === 'create' || known.length === 0) await this.create(list);
    else if (does === 'change' || list === 'clients') {
      const name = `${which}`;
      await this.#driver.patch(path, list === 'tickets' ? { subject: name } : { name });
    } else {
      known.splice(which % known.length, 1);
      await this.#driver.remove(path);
    }
  }
}

/** What is kept of a list's records, or of the records of a mirror. */
const kept = (record: object) =>
  Object.fromEntries(Object.entries(record).filter(([field]) => !LEFT_OUT.includes(field)));

/**
 * Keeps a mirror by pages of two records, or three events, until the writers are done and it has read what they wrote.
 */
async function keep(mirror: Mirror, token: string, writers: Writers): Promise<void> {
  const over = new Error('the writers are done');
  const send = async (request: Request): Promise<Response> => {
    await writers.act();
    const response = await api.fetch(request.url.replace('/events?', '/events?limit=3&'), request);
    expect([request.url, response.status]).toEqual([request.url, 200]);
    return response;
  };
  let isRead = false;
  const sleep = async (): Promise<void> => {
    if (isRead) throw over;
    isRead = writers.areDone;
  };
  const custodia = createCustodia({ baseUrl: api.url, credentials: { token }, fetch: send, timing: { sleep } });
  await expect(keepMirror(custodia, mirror, new AbortController().signal, 2)).rejects.toBe(over);
}

/** Of the oldest ticket before each request: who read from the first page to the last would skip some. */
const DELETIONS: Act[] = Array(4).fill({ does: 'delete', list: 'tickets', which: 0, waits: 0 });

it('a mirror ends equal, whatever is written meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 15, maxLength: 30, size: 'max' }), async (acts) => {
      const { token } = await api.orgToken();
      const driver = apiDriverOf(api, token);
      const { id } = await driver.client();
      const writers = new Writers(driver, id, acts);
      for (const list of [...Array<string>(8).fill('tickets'), 'services', 'services', 'services'])
        await writers.create(list);
      const mirror: Mirror = { cursor: undefined, records: new Map() };
      await keep(mirror, token, writers);

      const lists = await Promise.all(Object.values(LISTS).map((list) => driver.get(`/${list}?page_size=200`)));
      const records = lists.flatMap(({ body }) => body.data as Responded[]);
      expect([...mirror.records.keys()].toSorted()).toEqual(records.map((record) => record.id).toSorted());
      // A list shows some of the fields that reading shows.
      for (const record of records) expect(mirror.records.get(record.id)?.record).toMatchObject(kept(record));
    }),
    { numRuns: byExtent({ sample: 2, extended: 8, nightly: 60 }), examples: [[DELETIONS]] },
  );
});
