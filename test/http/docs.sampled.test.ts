import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PROBLEM_TYPE_PREFIX, PROBLEMS } from '#contract';
import { groups } from '../../functions/docs/site/reference/groups.ts';
import { bundle } from '../../infra/bundling/bundle.ts';
import type { LambdaHandler } from '../../shared/http/pipeline.ts';
import { chainEvent } from '../support/chain.ts';
import { EXTENT } from '../support/extent.ts';
import { textOf } from '../support/html.ts';
import { lambdaContext } from '../support/lambda-context.ts';
import { useApi } from '../support/use-api.ts';

/** The documentation without a browser; `test/browser/docs.slow.test.ts` has one. */

const START = '/api/v1/docs';
const GUIDES = [
  'pagination',
  'errors',
  'retries',
  'batch',
  'rate-limits',
  'people-sign-in',
  'agents',
  'events',
  'webhooks',
  'changelog',
];
const REFERENCE = ['reference', ...groups.map(({ page }) => page), 'reference-all'];
const PAGES = [START, ...['guides', ...GUIDES, ...REFERENCE, 'problems'].map((name) => `${START}/${name}`)];
/** Every page leads to these. */
const NAVIGATION = [START, `${START}/guides`, `${START}/reference`, `${START}/problems`];

const api = useApi();

const get = async (path: string): Promise<{ readonly headers: Headers; readonly text: string }> => {
  const { status, headers, body } = await api.request<string>('GET', path);
  expect([path, status]).toEqual([path, 200]);
  return { headers, text: body };
};

const responses = new Map<string, ReturnType<typeof get>>();
/** A page or file, as it was sent the first time. */
const sent = (path: string): ReturnType<typeof get> => {
  const response = responses.get(path) ?? get(path);
  responses.set(path, response);
  return response;
};

/** The targets of a page's links, styles and scripts, from the root. */
const targetsOf = (text: string, path: string): URL[] =>
  Array.from(text.matchAll(/ (?:href|src)="([^"]*)"/g), ([, target = '']) => new URL(target, api.url + path)).filter(
    ({ protocol }) => protocol !== 'data:',
  );

const isAsset = ({ pathname }: URL): boolean => /\.(css|js)$/.test(pathname);

describe.each(PAGES)('%s', (path) => {
  it('is a page, for anyone, under a strict policy', async () => {
    const { headers, text } = await sent(path);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources];
      }),
    );
    const [, script = ''] = /<script>(.*?)<\/script>/.exec(text) ?? [];
    const hash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': ["'none'"],
      'script-src': ["'self'", hash],
      'style-src': ["'self'"],
      'connect-src': ["'self'"],
      'img-src': ['data:'],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    });
    expect(text).not.toMatch(/ (style|on\w+)=|javascript:/);
  });

  it('is asked for each time, and sent again only when it has changed', async () => {
    const { headers } = await sent(path);
    expect(headers.get('cache-control')).toBe('public, no-cache');
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const again = await api.fetch(api.url + path, { headers: { 'if-none-match': etag }, cache: 'no-store' });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    expect(again.headers.get('content-security-policy')).toBe(headers.get('content-security-policy'));
    expect((await api.fetch(api.url + path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('names files that never change, and nothing of another origin', async () => {
    const { text } = await sent(path);
    const targets = targetsOf(text, path);
    expect(targets.filter(({ origin }) => origin !== new URL(api.url).origin)).toEqual([]);
    const assets = targets.filter(isAsset);
    expect(assets.length).toBeGreaterThanOrEqual(2);
    for (const { pathname } of assets) {
      const asset = await sent(pathname);
      const digest = createHash('sha256').update(asset.text).digest('base64url');
      expect(pathname).toContain(`.${digest.slice(0, 12)}.`);
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(asset.headers.get('etag')).toBe(`"${digest}"`);
      expect(asset.headers.get('content-type')).toBe(
        pathname.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      );
    }
  });

  it('has links that lead somewhere', async () => {
    const { text } = await sent(path);
    const pages = new Set<string>();
    for (const { pathname, hash } of targetsOf(text, path).filter((target) => !isAsset(target))) {
      pages.add(pathname);
      const target = await sent(pathname);
      if (hash !== '') expect(target.text).toContain(` id="${decodeURIComponent(hash.slice(1))}"`);
    }
    expect([...pages]).toEqual(expect.arrayContaining([...NAVIGATION, '/api/v1/openapi']));
    const ids = Array.from(text.matchAll(/ id="([^"]*)"/g), ([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});

describe('a file', () => {
  it('of another version is what this version has of that name, and not to be kept', async () => {
    const { text } = await get(START);
    const current = targetsOf(text, START).find(isAsset)?.pathname ?? '';
    const other = current.replace(/\.[\w-]{12}\./, '.AAAAAAAAAAAA.');
    expect(other).not.toBe(current);
    const [now, then] = [await get(current), await get(other)];
    expect(then.text).toBe(now.text);
    expect(then.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    'quickstart',
    'site.css',
    'reference.css',
    'unknown.AAAAAAAAAAAA.css',
    'constructor',
    '__proto__',
    '..%2Fdocs',
    'reference-none',
    'reference%00',
    'handler.ts',
  ])('that is none is a 404: %s', async (name) => {
    const { status, body } = await api.request<{ type: string }>('GET', `${START}/${name}`);
    expect([status, body.type]).toEqual([404, `${PROBLEM_TYPE_PREFIX}not-found`]);
  });
});

it('the quickstart has the commands of the README’s tour, in its order, and those to begin with a secret', async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const commands = Array.from(readme.matchAll(/```sh\n(.*?)```/gs), ([, block]) => block);
  const { text } = await get(START);
  const shown = Array.from(text.matchAll(/<pre><code class="language-sh">(.*?)<\/code>/gs), ([, block = '']) =>
    textOf(block),
  );
  expect(commands.length).toBeGreaterThan(5);
  expect(shown).toEqual(commands);
  const secret = textOf(/<details>.*?<\/details>/s.exec(text)?.[0] ?? '');
  expect(secret).toMatch(/API=http.*\nAPP='your app code'\n.*\nKEY='\{"secret":"your secret"\}'$/s);
  expect(secret).not.toContain('integrations');
});

it('the page of problems has each type under its whole name and its short one, with cause, remedy and an example', async () => {
  const { text } = await get(`${START}/problems`);
  const sections = text.split('<section class="problem"').slice(1);
  expect(sections).toHaveLength(Object.keys(PROBLEMS).length);
  for (const [index, [type, { status, title }]] of Object.entries(PROBLEMS).entries()) {
    const section = sections[index] ?? '';
    expect(section).toContain(`id="${type}"`);
    expect(section).toContain(`id="${PROBLEM_TYPE_PREFIX}${type}"`);
    expect(section).toMatch(/<dt>Cause<\/dt><dd>.{20,}<\/dd>\s*<dt>What to do<\/dt><dd>.{20,}<\/dd>/s);
    const [, example = ''] = /<pre><code>(.*?)<\/code>/s.exec(section) ?? [];
    expect(JSON.parse(textOf(example))).toMatchObject({ type: `${PROBLEM_TYPE_PREFIX}${type}`, title, status });
  }
});

it('the page of guides lists all guides, and each guide lists its sections and the other guides', async () => {
  const list = (await get(`${START}/guides`)).text;
  for (const name of GUIDES) {
    expect(list).toContain(`<a href="${name}">`);
    const { text } = await get(`${START}/${name}`);
    const [, contents = ''] = /<nav class="contents"(.*?)<\/nav>/s.exec(text) ?? [];
    const sections = Array.from(text.matchAll(/<h2 id="([^"]+)"/g), ([, anchor]) => anchor);
    expect([name, sections.length > 0]).toEqual([name, true]);
    if (name !== 'changelog') for (const anchor of sections) expect(contents).toContain(`<a href="#${anchor}">`);
    expect(contents.match(/<li>/g)?.length).toBeGreaterThan(2);
    for (const other of GUIDES.filter((each) => each !== name)) expect(text).toContain(`<a href="${other}">`);
  }
});

it('the page of the change log has what callers notice of each version, not what operators do', async () => {
  const text = textOf((await get(`${START}/changelog`)).text);
  expect(text).toContain('Ids are UUIDs of version 4');
  expect(text).not.toMatch(/For operators|npx custodia|CDK/);
  // Links to what the pages do not have are left out with their parentheses.
  expect(text).not.toMatch(/\s[.,;]\s|\(\)/);
});

it('the page of webhooks has the guide and its programs', async () => {
  const { text } = await get(`${START}/webhooks`);
  const guide = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
  for (const [, heading] of guide.matchAll(/^## (.*)$/gm)) expect(textOf(text)).toContain(heading);
  const folder = new URL('../../docs/webhooks/', import.meta.url);
  const programs = await readdir(folder);
  expect(programs.length).toBeGreaterThanOrEqual(5);
  for (const name of programs) expect(textOf(text)).toContain(readFileSync(new URL(name, folder), 'utf8').trim());
});

describe.skipIf(EXTENT === 'sample')('the bundled function', () => {
  it('responds the same, and contains nothing of what makes it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'custodia-bundle-'));
    try {
      const folder = (await bundle(['docs'], directory)).get('docs') ?? '';
      const { handler } = (await import(pathToFileURL(join(folder, 'index.mjs')).href)) as { handler: LambdaHandler };
      const asked = async (resource: string, file?: string) =>
        handler(chainEvent({ resource, pathParameters: file === undefined ? null : { file } }), lambdaContext());
      const files = targetsOf((await get(`${START}/reference`)).text, `${START}/reference`)
        .filter(isAsset)
        .map(({ pathname }) => pathname.slice(START.length + 1));
      expect(files.length).toBeGreaterThanOrEqual(5);
      expect((await asked(START)).body).toBe((await get(START)).text);
      for (const file of ['problems', ...REFERENCE, ...files]) {
        const { statusCode, headers, body } = await asked(`${START}/{file}`, file);
        const local = await get(`${START}/${file}`);
        expect([file, statusCode, headers?.ETag]).toEqual([file, 200, local.headers.get('etag')]);
        expect(body === local.text, file).toBe(true);
      }
      const first = readFileSync(join(folder, 'main.cjs'), 'utf8');
      // An option of marked, and the reference.
      expect(/headerIds|id="createClient"/.exec(first)?.[0]).toBeUndefined();
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
