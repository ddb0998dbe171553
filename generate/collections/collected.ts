import type { Contract } from '#contract';
import { type ExampleRequest, exampleRequestsOf } from '#openapi';

/** The requests of the collections, each of which succeeds when all are sent from the top. */
export const collected = (contracts: readonly Contract[]): readonly ExampleRequest[] =>
  exampleRequestsOf(contracts).filter(({ isByHand }) => !isByHand);
