import { type Operations, textResponse } from '#http';
import type { openapi } from './contract.ts';
import { served } from './document.ts';

/** How long caches may keep the document, in seconds. It changes only with a deployment. */
const MAX_AGE = 300;

export const openApiOperations: Operations<typeof openapi> = {
  getOpenApi: async () =>
    textResponse(served.text, { ETag: served.etag, 'Cache-Control': `public, max-age=${MAX_AGE}` }),
};
