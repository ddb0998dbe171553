import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openapi } from '../../functions/openapi/contract.ts';
import { bundle } from '../../infra/bundling/bundle.ts';
import type { LambdaHandler } from '../../shared/http/pipeline.ts';
import { EXTENT } from '../support/extent.ts';
import { lambdaContext } from '../support/lambda-context.ts';
import { proxyEventOf } from '../support/proxy-event.ts';
import { useApi } from '../support/use-api.ts';

const PATH = '/api/v1/openapi';
const committed = JSON.stringify(JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')));
const documentAt = (address: string): string =>
  committed.replace('"servers":[{"url":"/"', `"servers":[{"url":"${address}"`);
const tagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url')}"`;

const api = useApi();

describe('GET /api/v1/openapi', () => {
  it('serves the committed document without its spaces and with the address that was called, without a token', async () => {
    const expected = documentAt(api.url);
    const response = await fetch(`${api.url}${PATH}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(response.headers.get('etag')).toBe(tagOf(expected));
    expect((await response.text()) === expected).toBe(true);
  });

  it.each(['…', 'W/…', '"other", …', '*'])('returns 304 for If-None-Match: %s', async (condition) => {
    const etag = tagOf(documentAt(api.url));
    const headers = { 'if-none-match': condition.replace('…', etag) };
    const response = await fetch(`${api.url}${PATH}`, { headers, cache: 'no-store' });
    expect([response.status, response.headers.get('etag')]).toEqual([304, etag]);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await response.text()).toBe('');
  });
});

describe.skipIf(EXTENT === 'sample')('the bundled function', () => {
  it('has the document in it, whichever of its addresses is called', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'custodia-bundle-'));
    try {
      const bundles = await bundle(['openapi'], directory);
      const file = join(bundles.get('openapi') ?? '', 'index.mjs');
      const { handler } = (await import(pathToFileURL(file).href)) as {
        handler: LambdaHandler;
      };
      const { getOpenApi: route } = openapi.routes;
      for (const stage of ['', '/prod', '']) {
        const event = proxyEventOf({ route, path: `${stage}${PATH}` });
        const { statusCode, headers, body } = await handler(event, lambdaContext());
        const expected = documentAt(`https://api.example.com${stage}`);
        expect([statusCode, headers?.ETag, body === expected]).toEqual([200, tagOf(expected), true]);
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
