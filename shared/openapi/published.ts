import { compactDocument } from './compact-document.ts';
import type { OpenApi } from './nodes.ts';
import { withPropertyExamples } from './property-examples.ts';
import { withSafeNames, withSchemaTexts } from './schemas.ts';
import { withSharedParameters } from './shared-parameters.ts';
import { closedRequests, openResponses } from './strictness.ts';

/**
 * The document in the form that suits generators, linters and consoles best: clients are made from it. Each pass
 * changes only the form of what the contracts declare (`docs/decisions/0040`).
 */
const PASSES: readonly ((document: OpenApi) => OpenApi)[] = [
  withSchemaTexts,
  withPropertyExamples,
  closedRequests,
  openResponses,
  withSharedParameters,
  withSafeNames,
  compactDocument,
];

export const published = (document: OpenApi): OpenApi => PASSES.reduce((before, pass) => pass(before), document);
