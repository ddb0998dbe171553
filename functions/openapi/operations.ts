import type { Operations } from '#http';
import * as respond from '#http/respond';
import type { openapi } from './contract.ts';
import { served } from './document.ts';

/** How long caches may keep the document, in seconds. It changes only with a deployment. */
const MAX_AGE = 300;

export const openApiOperations: Operations<typeof openapi> = {
  getOpenApi: async () =>
    respond.text(served.text, { ETag: served.etag, 'Cache-Control': `public, max-age=${MAX_AGE}` }),
};
