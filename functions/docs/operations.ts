import { Problem } from '#contract';
import { type Operations, respond } from '#http';
import type { docs } from './contract.ts';
import type { Asset, SitePage } from './site/file.ts';

/**
 * Pages name the files of their version, so browsers revalidate them each time; the response is a 304 until a
 * deployment.
 */
const ASK_EACH_TIME = 'public, no-cache';

/** A file with the digest of its content in its name never changes. A year, in seconds. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * During a deployment, a page of one version may request its files from the other version. It gets the other version's
 * file of that name, which must not be cached: a page with the style of another version is better than one without.
 */
const THIS_ONCE = 'no-store';

export const docsOperations: Operations<typeof docs> = {
  getDocs: async () => {
    const { pages, START } = await site();
    return pageResponse(pages[START]);
  },
  getDocsFile: async ({ params: { file } }) => {
    const page = await pageNamed(file);
    return page === undefined ? assetResponse(await assetNamed(file), file) : pageResponse(page);
  },
};

/** Loaded when it is first asked for: on a machine that makes it then, that starts a process of esbuild. */
const site = () => import('./site/site.static.ts');

async function pageNamed(name: string): Promise<SitePage | undefined> {
  // Large: not loaded with the function.
  if (name === 'reference-all') return (await import('./site/reference-all.static.ts')).all;
  if (name.startsWith('reference')) return named((await import('./site/reference.static.ts')).reference, name);
  const { pages, START } = await site();
  return name === START ? undefined : named(pages, name);
}

const named = (pages: Readonly<Partial<Record<string, SitePage>>>, name: string): SitePage | undefined =>
  Object.hasOwn(pages, name) ? pages[name] : undefined;

const pageResponse = (page: SitePage | undefined) => {
  if (page === undefined) throw noSuchFile();
  return respond.text(page.text, {
    ETag: page.etag,
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': ASK_EACH_TIME,
    'Content-Security-Policy': page.policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  });
};

const assetResponse = (asset: Asset, name: string) =>
  respond.text(asset.text, {
    ETag: asset.etag,
    'Content-Type': `${asset.mediaType}; charset=utf-8`,
    'Cache-Control': name === asset.name ? FOR_EVER : THIS_ONCE,
    'Cross-Origin-Resource-Policy': 'same-origin',
  });

/** `site.0dF3x9aBq_1z.css` is `site.css`; undefined where a name has no digest. */
const plainName = (name: string): string | undefined => {
  const [, stem, kind] = /^([\w-]+)\.[\w-]{12}\.(\w+)$/.exec(name) ?? [];
  return stem === undefined ? undefined : `${stem}.${kind}`;
};

/** @throws Problem `not-found` */
async function assetNamed(name: string): Promise<Asset> {
  const { assets } = await import('./site/assets.static.ts');
  const plain = plainName(name);
  const asset = assets.find((each) => plainName(each.name) === plain);
  if (asset === undefined) throw noSuchFile();
  return asset;
}

const noSuchFile = (): Problem =>
  new Problem('not-found', {
    detail: 'The documentation has no page or file of this name. It begins at /api/v1/docs.',
  });
