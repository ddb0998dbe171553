import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { bodyOf } from '../../test/support/faults.ts';

interface Sent {
  readonly Key?: { readonly PK: { readonly S: string } };
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly N: string }>>;
}

/** A table for creations, without a socket: it counts numbers, knows the caller's key, and accepts every write. */
export class StubTable extends NodeHttpHandler {
  calls = 0;
  readonly #next = new Map<string, number>();

  override async handle(request: Parameters<NodeHttpHandler['handle']>[0]): ReturnType<NodeHttpHandler['handle']> {
    this.calls += 1;
    const operation = request.headers['x-amz-target']?.split('.').at(-1) ?? '';
    const reply = operation === 'TransactWriteItems' ? {} : this.#replyTo(operation, JSON.parse(bodyOf(request)));
    const body = new TextEncoder().encode(JSON.stringify(reply));
    return { response: new HttpResponse({ statusCode: 200, headers: {}, body }) };
  }

  #replyTo(operation: string, { Key, UpdateExpression = '', ExpressionAttributeValues: values }: Sent): object {
    const partition = Key?.PK.S ?? '';
    if (operation === 'GetItem' && partition.endsWith('#CREDENTIALS')) return { Item: CREDENTIALS };
    if (operation !== 'UpdateItem') return {};
    if (partition.endsWith('#BUDGET')) return { Attributes: { FULL_AT: { N: '0' } } };
    const next = (this.#next.get(partition) ?? 0) + Number(values?.[':count']?.N);
    this.#next.set(partition, next);
    const [, mark] = /(\w+) = if_not_exists\(\1, if_not_exists/.exec(UpdateExpression) ?? [];
    const marked = mark === undefined ? {} : { [mark]: { N: '0' } };
    return { Attributes: { NEXT: { N: String(next) }, FILTERS: values?.[':filters'], ...marked } };
  }
}

const CREDENTIALS = {
  integration_id: { S: 'i' },
  status: { S: 'active' },
  permissions: { NULL: true },
  secrets: { L: [{ M: { id: { S: 's' } } }] },
};
