import { createHash } from 'node:crypto';
import { type Operations, respond } from '#http';
import document from '../../openapi.json' with { type: 'json' };
import type { openapi } from './contract.ts';

/** How long caches may keep the document, in seconds. It changes only with a deployment. */
const MAX_AGE = 300;

export const openApiOperations: Operations<typeof openapi> = {
  getOpenApi: async ({ request }) => {
    const { text, etag } = documentAt(request.baseUrl);
    return respond.text(text, { ETag: etag, 'Cache-Control': `public, max-age=${MAX_AGE}` });
  },
};

/** The document as it was served last: a stage has one or two addresses. */
let served = { baseUrl: '', text: '', etag: '' };

/**
 * The committed `openapi.json` with the address that it was asked from, and without its spaces, which are almost half
 * of it. `/`, which it names itself, is not where the paths of a stage begin. Both Node and esbuild understand a JSON
 * import.
 */
function documentAt(baseUrl: string): typeof served {
  if (served.baseUrl === baseUrl) return served;
  const servers = document.servers.map((server) => ({ ...server, url: baseUrl }));
  const text = JSON.stringify({ ...document, servers });
  // Strong: a digest of the bytes (RFC 9110 §8.8.3).
  served = { baseUrl, text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
  return served;
}
