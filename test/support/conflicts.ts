import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { schema } from '@custodia/counted-lists';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { bodyOf, FaultyHandler, reply } from './faults.ts';

/** For a time, or until so many later transactions were sent, which does not depend on the machine's speed. */
export type Hold = { readonly milliseconds: number } | { readonly sends: number };

/** How long a transaction holds its items, in milliseconds: a guess, rather too long than too short. */
export const TRANSACTION_MS = 15;

/**
 * `TransactionConflict` as DynamoDB raises it and emulators do not: below the SDK's retries, an item that is in a
 * transaction refuses other transactions and single writes, and transactions that read it. Other reads pass. A
 * transaction sent again with its token passes, because DynamoDB returns its earlier result.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
 *
 *     const conflicts = new Conflicts();
 *     configureTable({ requestHandler: new ConflictingHandler(conflicts) });
 */
export class Conflicts {
  readonly #hold: Hold;
  /** By item, the end of its transaction (in milliseconds, or in sent transactions). */
  readonly #held = new Map<string, number>();
  readonly #tokens = new Set<string>();
  /** Whether an item is in somebody else's transaction, by its key as JSON, when so many transactions were sent. */
  isTaken: (name: string, transactions: number) => boolean = () => false;
  /** Sent transactions, counting each attempt. */
  transactions = 0;
  /** Transactions and single writes that were refused. */
  refused = 0;

  /** @param hold how long an item is in a transaction, from when that is sent */
  constructor(hold: Hold = { milliseconds: TRANSACTION_MS }) {
    this.#hold = hold;
  }

  /** Resets counts and held items. */
  reset(): void {
    this.#held.clear();
    this.isTaken = () => false;
    this.transactions = 0;
    this.refused = 0;
  }

  /** The response to a request that conflicts with a transaction; undefined for others. */
  responseTo(operation: string, body: Body) {
    switch (operation) {
      case 'TransactWriteItems':
        return this.#enter(body);
      case 'TransactGetItems':
        return this.#refuseHeld(namesOf(body));
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        return this.#isHeld(nameOf(body)) ? this.#refuse(conflictOfOne()) : undefined;
      case 'BatchWriteItem':
        return namesIn(body.RequestItems).some((name) => this.#isHeld(name))
          ? this.#refuse(reply(200, { UnprocessedItems: body.RequestItems }))
          : undefined;
      default:
        return undefined;
    }
  }

  #enter({ TransactItems = [], ClientRequestToken: token = '' }: Body) {
    this.transactions += 1;
    if (this.#tokens.has(token)) return undefined;
    const names = namesOf({ TransactItems });
    const refusal = this.#refuseHeld(names);
    if (refusal !== undefined) return refusal;
    if (token !== '') this.#tokens.add(token);
    for (const name of names) this.#held.set(name, this.#now + this.#length);
    return undefined;
  }

  get #now(): number {
    return 'milliseconds' in this.#hold ? performance.now() : this.transactions;
  }

  get #length(): number {
    return 'milliseconds' in this.#hold ? this.#hold.milliseconds : this.#hold.sends;
  }

  #refuseHeld(names: readonly string[]) {
    const isHeld = names.map((name) => this.#isHeld(name));
    return isHeld.includes(true) ? this.#refuse(conflictOfMany(isHeld)) : undefined;
  }

  #isHeld(name: string): boolean {
    return (this.#held.get(name) ?? 0) > this.#now || this.isTaken(name, this.transactions);
  }

  #refuse<T>(refusal: T): T {
    this.refused += 1;
    return refusal;
  }
}

/** The SDK's request handler, behind which transactions conflict; several handlers may share the held items. */
export class ConflictingHandler extends FaultyHandler {
  readonly #conflicts: Conflicts;

  constructor(conflicts: Conflicts, ...options: ConstructorParameters<typeof NodeHttpHandler>) {
    super(...options);
    this.#conflicts = conflicts;
  }

  override async handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    const operation = (request.headers['x-amz-target'] ?? '').split('.').at(-1) ?? '';
    const body = JSON.parse(bodyOf(request)) as Body;
    return this.#conflicts.responseTo(operation, body) ?? (await super.handle(request, options));
  }
}

/** Such a process, whose transactions wait while it sleeps. */
export class SleepingHandler extends ConflictingHandler {
  #awake: Promise<void> | undefined;

  /** @returns what wakes it up */
  sleep(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awake = promise;
    return resolve;
  }

  override async handle(...[request, options]: Parameters<ConflictingHandler['handle']>) {
    if (request.headers['x-amz-target']?.endsWith('TransactWriteItems')) await this.#awake;
    return super.handle(request, options);
  }
}

type Item = Readonly<Record<string, AttributeValue>>;

/** A write of one item, or the key of one. */
interface Write {
  readonly TableName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
}

interface Body extends Write {
  readonly ClientRequestToken?: string;
  readonly TransactItems?: readonly Readonly<Record<string, Write>>[];
  readonly RequestItems?: Readonly<Record<string, readonly Readonly<Record<string, Write>>[]>>;
}

const nameOf = ({ TableName: table, Key: key, Item: item = {} }: Write): string => {
  const { [schema.KEYS.partition]: partition, [schema.KEYS.sort]: sort } = key ?? item;
  return JSON.stringify([table, partition, sort]);
};

const namesOf = ({ TransactItems = [] }: Body): string[] =>
  TransactItems.flatMap((item) => Object.values(item).map(nameOf));

const namesIn = (requests: Body['RequestItems'] = {}): string[] =>
  Object.entries(requests).flatMap(([TableName, writes]) =>
    writes.flatMap((write) => Object.values(write).map((one) => nameOf({ TableName, ...one }))),
  );

const PREFIX = 'com.amazonaws.dynamodb.v20120810#';
const MESSAGE = 'Transaction is ongoing for the item';

const conflictOfOne = () => reply(400, { __type: `${PREFIX}TransactionConflictException`, message: MESSAGE });

const conflictOfMany = (isHeld: readonly boolean[]) => {
  const codes = isHeld.map((held) => (held ? 'TransactionConflict' : 'None'));
  return reply(400, {
    __type: `${PREFIX}TransactionCanceledException`,
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
    CancellationReasons: codes.map((Code) => (Code === 'None' ? { Code } : { Code, Message: MESSAGE })),
  });
};
