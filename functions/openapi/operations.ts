import { createHash } from 'node:crypto';
import { type Operations, respond } from '#http';
import document from '../../openapi.json' with { type: 'json' };
import type { openapi } from './contract.ts';

/** How long caches may keep the document, in seconds. It changes only with a deployment. */
const MAX_AGE = 300;

export const openApiOperations: Operations<typeof openapi> = {
  getOpenApi: async () =>
    respond.text(served.text, { ETag: served.etag, 'Cache-Control': `public, max-age=${MAX_AGE}` }),
};

/**
 * The committed `openapi.json` without its spaces, which are almost half of it. A deployed stage puts its own address
 * into it (`API_BASE_URL`). Both Node and esbuild understand a JSON import.
 */
const text = JSON.stringify({ ...document, servers: serversOf(process.env.API_BASE_URL) });

export const served = {
  text,
  /** Strong: a digest of the bytes (RFC 9110 §8.8.3). */
  etag: `"${createHash('sha256').update(text).digest('base64url')}"`,
} as const;

/** `/` is the root of the host, which at the address of a stage is not where its paths begin. */
function serversOf(baseUrl: string | undefined): typeof document.servers {
  if (baseUrl === undefined) return document.servers;
  return document.servers.map((server) => ({ ...server, url: baseUrl, description: 'This stage' }));
}
