import type { Route } from '#contract';
import { lazily } from '../../shared/memory.ts';
import { recordContracts } from '../record-contracts.ts';

/** Whether a batch takes requests to this route: whatever a webhook can do to records, and upserts. */
export const isBatchable = ({ event, upsert }: Route): boolean => event !== undefined || upsert !== undefined;

/** The ids of the operations that a batch takes, in the order of the OpenAPI document. */
export const batchableOperations = (): readonly string[] =>
  recordContracts.flatMap(({ routes }) =>
    Object.entries(routes).flatMap(([operationId, route]) => (isBatchable(route) ? [operationId] : [])),
  );

/** The fields by whose values upserts name records. */
export const upsertFields = lazily((): readonly string[] =>
  recordContracts.flatMap(({ routes }) => Object.values(routes).flatMap(({ upsert }) => upsert?.by ?? [])),
);
