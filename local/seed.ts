import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type BatchOperation, type Custodia, createCustodia } from '../packages/client/src/index.ts';
import { upTo } from './pool.ts';

/**
 * Fills a demo organization with the records of `seed.ndjson`, as any caller of the API does: with its client, in
 * batches. In the file, `$name` is the id of the record that is called so (`as`), and an empty line begins a batch,
 * which needs only what earlier ones have created.
 */

/** The records cannot be made; the message is one sentence. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/** What the seed created, and how to look at it. */
export interface Seeded {
  readonly orgId: string;
  readonly appCode: string;
  readonly secret: string;
  readonly token: string;
  /** The id of a resource with a history to look at. */
  readonly resourceId: string;
  readonly records: number;
}

/**
 * Makes a new organization, whose first key `npm start` gives to anybody, and fills it.
 * @param url without a path: `http://127.0.0.1:3000`
 * @param onProgress is called with the number of records so far
 * @throws SeedError
 */
export async function seed(url: string, onProgress: (records: number) => void): Promise<Seeded> {
  const appCode = `demo-${randomBytes(4).toString('hex')}`;
  try {
    const open = createCustodia({ baseUrl: url });
    const body = { app_code: appCode, display_name: `Demo ${appCode}` };
    const made = (await open.POST('/api/v1/integrations', { body })).data;
    const secret = String(made.secret);
    const login = { body: { app_code: appCode, secret } };
    const { access_token: token } = (await open.POST('/api/v1/auth/login', login)).data;
    // A small budget is waited for.
    const retry = { attempts: 20, longest: 60_000 };
    const filling = new Filling(createCustodia({ baseUrl: url, credentials: { token }, retry }), onProgress);
    const resourceId = await filling.run();
    return { orgId: String(made.org_id), appCode, secret, token, resourceId, records: filling.records };
  } catch (cause) {
    if (cause instanceof TypeError && cause.message === 'fetch failed')
      throw new SeedError(`No API answers at ${url}: run npm start first, or name its address with --url.`, { cause });
    throw cause;
  }
}

const FILE = new URL('seed.ndjson', import.meta.url);

interface SeedRecord {
  readonly operation: string;
  readonly as?: string;
  readonly params?: object;
  readonly body: object;
}

/** In the end. */
const LOGS = [
  { level: 'info', message: 'The backup is complete', metadata: { host: 'backup-1', duration_ms: 8_200 } },
  { level: 'debug', message: 'The cache was emptied', metadata: { host: 'shop-1', duration_ms: 12 } },
  { level: 'warn', message: 'The disk is nearly full', metadata: { host: 'stock-1' } },
  { level: 'error', message: 'The payment provider does not answer', metadata: { host: 'book-1' } },
] as const;

/** How far back the samples of resources go, and how many there are. */
const DAYS = 10;
const SAMPLES = 2 * DAYS;
const DAY_MS = 86_400_000;

class Filling {
  records = 0;
  readonly #api: Custodia;
  readonly #onProgress: (records: number) => void;
  /** The ids of records, by what they are called. */
  readonly #ids = new Map<string, string>();

  constructor(api: Custodia, onProgress: (records: number) => void) {
    this.#api = api;
    this.#onProgress = onProgress;
  }

  /** @returns the id of a resource */
  async run(): Promise<string> {
    const resources: string[] = [];
    for (const batch of (await readFile(FILE, 'utf8')).trim().split('\n\n')) {
      const records = batch.split('\n').map((line): SeedRecord => JSON.parse(line));
      const created = await this.#create(records);
      if (records[0]?.operation === 'createResource') resources.push(...created);
    }
    await this.#createSamples(resources);
    await this.#api.POST('/api/v1/logs/ingest', { body: { entries: [...LOGS] } });
    this.#count(LOGS.length);
    return resources[0] ?? '';
  }

  /** Oldest first: each is how its resource is then. */
  async #createSamples(resources: readonly string[]): Promise<void> {
    const now = Date.now();
    for (const number of upTo(SAMPLES)) {
      const left = SAMPLES - 1 - number;
      const time = new Date(now - (left * DAY_MS * DAYS) / SAMPLES);
      const operation = 'createResourceHistoryEntry';
      await this.#create(
        resources.map((id, index) => ({ operation, params: { id }, body: sampleFields(index, left, time) })),
      );
    }
  }

  /** @returns the ids of what was created, in order. @throws SeedError */
  async #create(records: readonly SeedRecord[]): Promise<readonly string[]> {
    // The compiler does not know which body belongs to which operation.
    const operations = records.map(
      ({ as: _, ...record }) => ({ key: randomUUID(), ...this.#withIds(record) }) as BatchOperation,
    );
    const ids = new Map<string, string>();
    for await (const { operation: sent, status, body, problem } of this.#api.importRecords(operations)) {
      if (status !== 201)
        throw new SeedError(`${sent.operation} was answered with ${status}: ${JSON.stringify(problem)}.`);
      ids.set(sent.key, String(body?.id));
      this.#count(1);
    }
    const created = operations.map(({ key }) => ids.get(key) ?? '');
    for (const [index, { as }] of records.entries()) if (as !== undefined) this.#ids.set(as, created[index] ?? '');
    return created;
  }

  #withIds<T extends object>(input: T): T {
    return JSON.parse(JSON.stringify(input), (_, value: unknown) =>
      typeof value === 'string' && value.startsWith('$') ? this.#ids.get(value.slice(1)) : value,
    );
  }

  #count(records: number): void {
    this.records += records;
    this.#onProgress(this.records);
  }
}

/**
 * How a resource is at a time: a wave by the hour, and a disk that fills up. The last of nine has a full disk in the
 * end, and the fourth is degraded.
 * @param left number of samples after this one
 */
function sampleFields(index: number, left: number, time: Date): object {
  const wave = Math.sin(((time.getUTCHours() - 8) / 24) * 2 * Math.PI);
  const noise = (index * 7 + left * 3) % 10;
  const fullest = index === 8 ? 96 : 25 + ((index * 11) % 45);
  return {
    timestamp: time.toISOString(),
    cpu_usage: Math.round(28 + index + 18 * wave + noise),
    memory_usage: Math.round(35 + index + 6 * wave + noise / 2),
    storage_usage: Math.round(fullest - left * (12 / SAMPLES)),
    health_status: left < 2 && index === 3 ? 'degraded' : 'healthy',
  };
}
