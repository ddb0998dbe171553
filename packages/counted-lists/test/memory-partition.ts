import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DeleteCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { tableSending } from '../../../test/support/table-sending.ts';

/**
 * A list in memory, for interleavings that no engine can be made to show: each call waits before and after it is carried
 * out, and a query reads its items in several steps. No sort key of a record is one of an item of its sets.
 */

type Item = Readonly<Record<string, unknown>>;

interface Request {
  readonly Key?: Item | undefined;
  readonly Item?: Item | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ConditionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Item | undefined;
}

/** A caller's end of a connection: `turn` waits for its turn, and may throw as a process does that ends. */
export type Turn = () => Promise<void>;

export class MemoryPartition {
  /** By sort key. */
  readonly items = new Map<string, Item>();
  /** Called with each item that was written, and undefined where it was deleted. */
  onWrite: (sortKey: string, item: Item | undefined) => void = () => undefined;

  /** @param cuts sort keys before which a query is held up */
  tableOf(turn: Turn, cuts: readonly string[]): Table {
    const send = async (command: unknown) => {
      await turn();
      if (command instanceof QueryCommand) return { Items: await this.#query(command.input, turn, cuts) };
      if (command instanceof BatchGetCommand) return this.#get(command.input);
      this.#write(command);
      await turn();
      return {};
    };
    return tableSending(send, 'memory');
  }

  #get({ RequestItems: { memory = { Keys: [] } } = {} }: BatchGetCommand['input']): object {
    return { Responses: { memory: (memory.Keys ?? []).flatMap(({ SK }) => this.items.get(String(SK)) ?? []) } };
  }

  async #query(query: QueryCommand['input'], turn: Turn, cuts: readonly string[]): Promise<Item[]> {
    const { ExpressionAttributeValues: values = {}, ScanIndexForward: isForward = true, Limit } = query;
    const [PK, first = '', last = '\uffff'] = Object.values(values);
    const read: Item[] = [];
    let from = '';
    for (const to of [...cuts.toSorted(), '\uffff']) {
      const items = [...this.items].filter(([key]) => key >= from && key < to && key >= first && key <= last);
      read.push(...items.flatMap(([, item]) => (item.PK === PK ? [item] : [])));
      from = to;
      await turn();
    }
    read.sort((one, other) => (String(one.SK) < String(other.SK) === isForward ? -1 : 1));
    return read.slice(0, Limit);
  }

  #write(command: unknown): void {
    if (command instanceof PutCommand) this.#put(command.input, command.input.Item ?? {});
    else if (command instanceof UpdateCommand) this.#put(command.input, this.#updated(command.input));
    else if (command instanceof DeleteCommand) this.#put(command.input, undefined);
    else throw new Error(`${String(command)} is not known here`);
  }

  #put(request: Request, item: Item | undefined): void {
    const sortKey = String((request.Item ?? request.Key)?.SK);
    this.#check(request, this.items.get(sortKey));
    this.set(sortKey, item);
  }

  set(sortKey: string, item: Item | undefined): void {
    if (item === undefined) this.items.delete(sortKey);
    else this.items.set(sortKey, item);
    this.onWrite(sortKey, item);
  }

  #updated(request: Request): Item {
    const { Key = {}, UpdateExpression = '' } = request;
    const item: Record<string, unknown> = { ...Key, ...this.items.get(String(Key.SK)) };
    const [, assignments = ''] = /^SET (.*)$/.exec(UpdateExpression) ?? [];
    for (const assignment of assignments.split(', ')) {
      const [name = '', value = ''] = assignment.split(' = ');
      item[request.ExpressionAttributeNames?.[name] ?? ''] = request.ExpressionAttributeValues?.[value];
    }
    return item;
  }

  #check(request: Request, item: Item = {}): void {
    const { ConditionExpression = '', ExpressionAttributeNames: names = {}, ExpressionAttributeValues = {} } = request;
    const clauses = ConditionExpression === '' ? [] : ConditionExpression.split(' AND ');
    const isMet = clauses.every((clause) => {
      const [, absent] = /^attribute_not_exists\((#\w+)\)$/.exec(clause) ?? [];
      if (absent !== undefined) return item[names[absent] ?? ''] === undefined;
      const [, name = '', value = ''] = /^(#\w+) = (:\w+)$/.exec(clause) ?? [];
      if (name === '') throw new Error(`${clause} is not known here`);
      return sameValue(item[names[name] ?? ''], ExpressionAttributeValues[value]);
    });
    if (!isMet) throw new ConditionalCheckFailedException({ message: 'refused', $metadata: {}, Item: marshall(item) });
  }
}

const sameValue = (one: unknown, other: unknown): boolean =>
  one instanceof Uint8Array || one === undefined
    ? String(one) === String(other)
    : BigInt(one as bigint) === BigInt(other as bigint);
