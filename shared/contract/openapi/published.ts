import { closedRequests } from './closed-requests.ts';
import { compact } from './compact.ts';
import type { OpenApi } from './nodes.ts';
import { openResponses } from './open-responses.ts';
import { withPropertyExamples } from './property-examples.ts';
import { withSafeNames } from './safe-names.ts';
import { withSchemaTexts } from './schema-texts.ts';
import { withSharedParameters } from './shared-parameters.ts';

/**
 * What clients are made from: the document in the form that generators, linters and consoles make the most of. Each pass changes the form of
 * something that the contracts have said, and says nothing of its own (`docs/decisions/0040`, `0144`).
 */
const PASSES: readonly ((document: OpenApi) => OpenApi)[] = [
  withSchemaTexts,
  withPropertyExamples,
  closedRequests,
  openResponses,
  withSharedParameters,
  withSafeNames,
  compact,
];

export const published = (document: OpenApi): OpenApi => PASSES.reduce((before, pass) => pass(before), document);
