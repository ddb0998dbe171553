import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../infra/bundling/bundle.ts';
import type { LambdaHandler } from '../../shared/http/pipeline.ts';
import { chainEvent } from '../support/chain.ts';
import { EXTENT } from '../support/extent.ts';
import { lambdaContext } from '../support/lambda-context.ts';
import { useApi } from '../support/use-api.ts';

const PATH = '/api/v1/openapi';
const committed: unknown = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const compact = Buffer.from(JSON.stringify(committed));
const ETAG = `"${createHash('sha256').update(compact).digest('base64url')}"`;

const api = useApi();

const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

describe('GET /api/v1/openapi', () => {
  it('serves the committed document without its spaces, and without a token', async () => {
    const response = await fetch(`${api.url}${PATH}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(response.headers.get('etag')).toBe(ETAG);
    expect((await bytesOf(response)).equals(compact)).toBe(true);
  });

  it.each([ETAG, `W/${ETAG}`, `"other", ${ETAG}`, '*'])('returns 304 for If-None-Match: %s', async (tag) => {
    const response = await fetch(`${api.url}${PATH}`, { headers: { 'if-none-match': tag }, cache: 'no-store' });
    expect([response.status, response.headers.get('etag')]).toEqual([304, ETAG]);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await bytesOf(response)).toHaveLength(0);
  });
});

describe.skipIf(EXTENT === 'sample')('the bundled function', () => {
  it('carries the same bytes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'custodia-bundle-'));
    try {
      const bundles = await bundle(['openapi'], directory);
      const file = join(bundles.get('openapi') ?? '', 'index.mjs');
      const { handler } = (await import(pathToFileURL(file).href)) as {
        handler: LambdaHandler;
      };
      const { statusCode, headers, body } = await handler(chainEvent({ resource: PATH }), lambdaContext());
      expect([statusCode, headers?.ETag]).toEqual([200, ETAG]);
      expect(Buffer.from(body).equals(compact)).toBe(true);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
