import {
  type BatchOperation,
  type BatchOptions,
  MOST_BYTES,
  MOST_OPERATIONS,
  type OperationResult,
  type SendBatch,
} from './batch.ts';
import type { Timing } from './timing.ts';

/** Any number of operations, in batches. */

export interface ImportOptions extends BatchOptions {
  /** How often an operation is sent whose result is a 503: 5 times unless told. */
  readonly attempts?: number;
  /** Is called, and waited for, before operations are sent: to note that they may have been carried out. */
  readonly onSend?: (operations: readonly BatchOperation[]) => void | Promise<void>;
}

/** The result of an operation that was carried out or refused. */
export interface ImportResult extends OperationResult {
  readonly operation: BatchOperation;
}

interface Waiting {
  readonly operation: BatchOperation;
  readonly text: string;
  readonly bytes: number;
  attempts: number;
}

/** Rounds in a row in which nothing is carried out, before it is given up. */
const MOST_IDLE = 20;
/** Milliseconds before the second round; twice as many before each further one. */
const [DELAY, LONGEST] = [500, 30_000];

/**
 * Sends operations in batches, one after the other, and those again that were not carried out: refused for the budget, not
 * attempted, in the way of others, or failed. Results come as they are known.
 * @throws CustodiaProblem where a whole batch is refused; TypeError or TimeoutError where nothing responds. Call it again with
 * the operations that have no result: under the same keys nothing is created twice within a day
 */
export const importWith = (send: SendBatch, timing: Timing) =>
  async function* importRecords(
    operations: Iterable<BatchOperation> | AsyncIterable<BatchOperation>,
    options: ImportOptions = {},
  ): AsyncGenerator<ImportResult, void> {
    for await (const decided of rounds(new Source(operations), send, timing, options))
      for (const { result, each } of decided) if (result !== undefined) yield { ...result, operation: each.operation };
  };

/** Batches and what is decided of their operations, until all are. */
async function* rounds(source: Source, send: SendBatch, timing: Timing, options: ImportOptions) {
  let again: readonly Waiting[] = [];
  let idle = 0;
  try {
    for (;;) {
      const batch = await source.fill(again);
      if (batch.length === 0) return;
      const decided = await sendBatch(batch, send, options);
      yield decided;
      again = decided.filter(({ result }) => result === undefined).map(({ each }) => each);
      idle = again.length < batch.length ? 0 : idle + 1;
      if (idle >= MOST_IDLE) throw new Error(`Nothing was carried out in ${MOST_IDLE} batches in a row`);
      await waitFor(decided, idle, timing, options.signal);
    }
  } finally {
    await source.close();
  }
}

async function sendBatch(
  batch: readonly Waiting[],
  send: SendBatch,
  { attempts = 5, onSend, ...options }: ImportOptions,
): Promise<Decided[]> {
  const sent = batch.map(({ operation }) => operation);
  await onSend?.(sent);
  const texts = batch.map(({ text }) => text);
  const { data } = await send(sent, texts, options);
  return batch.map((each, index) => decide(each, data.results[index], attempts));
}

/** Waits where operations are to be sent later, or none of a batch was carried out. */
async function waitFor(decided: readonly Decided[], idle: number, timing: Timing, signal?: AbortSignal): Promise<void> {
  const waits = decided.flatMap(({ wait }) => wait ?? []);
  if (waits.length === 0 && idle === 0) return;
  const backoff = Math.min(DELAY * 2 ** idle, LONGEST);
  await timing.sleep(Math.max(0, ...waits) * 1000 + timing.random() * backoff, signal);
}

interface Decided {
  readonly each: Waiting;
  /** Undefined where it is sent again. */
  readonly result?: OperationResult;
  /** Seconds to wait before; undefined where it can be sent at once. */
  readonly wait?: number;
}

/**
 * What was not attempted, refused for the budget, or met others at its record, is sent again as often as is needed. A 503 may have
 * been carried out, and its key says so. A 500 is final: the batch has gone on behind it, and the same again would overtake what came after it.
 */
function decide(each: Waiting, result: OperationResult | undefined, attempts: number): Decided {
  if (result === undefined) throw new TypeError(`The batch has no result of ${each.operation.key}`);
  const { status, problem, retry_after: wait = 0 } = result;
  if (problem?.type?.endsWith(':not-attempted')) return wait > 0 ? { each, wait } : { each };
  if (status === 429 || problem?.type?.endsWith(':contended')) return { each, wait };
  each.attempts += 1;
  return status === 503 && each.attempts < attempts ? { each, wait } : { each, result };
}

/** Takes operations from where they come from, as many as fit into a batch. */
class Source {
  readonly #operations: Iterator<BatchOperation> | AsyncIterator<BatchOperation>;
  readonly #encoder = new TextEncoder();
  /** One that did not fit into the last batch. */
  #ahead: Waiting | undefined;

  constructor(operations: Iterable<BatchOperation> | AsyncIterable<BatchOperation>) {
    this.#operations =
      Symbol.asyncIterator in operations ? operations[Symbol.asyncIterator]() : operations[Symbol.iterator]();
  }

  /** A batch that begins with those that are sent again. */
  async fill(again: readonly Waiting[]): Promise<Waiting[]> {
    const batch = [...again];
    let bytes = BRACKETS + batch.reduce((sum, each) => sum + each.bytes, 0);
    while (batch.length < MOST_OPERATIONS) {
      this.#ahead ??= await this.#take();
      if (this.#ahead === undefined || (batch.length > 0 && bytes + this.#ahead.bytes > MOST_BYTES)) break;
      batch.push(this.#ahead);
      bytes += this.#ahead.bytes;
      this.#ahead = undefined;
    }
    return batch;
  }

  async close(): Promise<void> {
    await this.#operations.return?.();
  }

  async #take(): Promise<Waiting | undefined> {
    const { done, value } = await this.#operations.next();
    if (done) return undefined;
    const text = JSON.stringify(value);
    // With the comma behind it.
    return { operation: value, text, bytes: this.#encoder.encode(text).length + 1, attempts: 0 };
  }
}

const BRACKETS = '{"operations":[]}'.length;
