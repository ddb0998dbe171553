import type { BatchOperation, OperationResult } from '../../packages/client/src/index.ts';
import { json, type Reply, type Sent } from './fake.ts';

/** What a test makes of an operation before it is carried out: undefined carries it out. */
export type Fault = (operation: BatchOperation) => Omit<OperationResult, 'key'> | undefined;

export const refusedWith = (
  kind: string,
  status: number,
  more: Partial<OperationResult> = {},
): Omit<OperationResult, 'key'> => ({
  status,
  problem: { type: `urn:problem-type:custodia:${kind}`, title: kind, status } as never,
  ...more,
});

/** An API that carries out creations once under their key, and whatever else each time. */
export class FakeBatch {
  /** What was carried out, in order. */
  readonly carriedOut: BatchOperation[] = [];
  /** How many operations each batch had. */
  readonly sizes: number[] = [];
  readonly #ids = new Map<string, string>();
  fault: Fault = () => undefined;

  readonly reply: Reply = ({ body }) => json(this.run(JSON.parse(body).operations), 207);

  run(operations: readonly BatchOperation[]): { results: OperationResult[]; counts: Record<string, number> } {
    this.sizes.push(operations.length);
    return { results: operations.map((operation) => this.#result(operation)), counts: {} };
  }

  #result(operation: BatchOperation): OperationResult {
    const { key } = operation;
    const refused = this.fault(operation);
    if (refused !== undefined) return { key, ...refused };
    const id = this.#ids.get(key) ?? `made-${this.#ids.size + 1}`;
    const isCreation = operation.operation.startsWith('create');
    if (!isCreation || !this.#ids.has(key)) this.carriedOut.push(operation);
    if (isCreation) this.#ids.set(key, id);
    return { key, status: isCreation ? 201 : 200, body: { id, version: 1 } };
  }
}

export const operationsOf = ({ body }: Sent): BatchOperation[] => JSON.parse(body).operations;
