import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { transformSync } from 'esbuild';

/** The served files of the documentation. */

export interface SitePage {
  readonly text: string;
  readonly etag: string;
  /** Its `Content-Security-Policy`. */
  readonly policy: string;
}

export interface Asset {
  /** With a digest of its content: `site.0dF3x9aBq_1z.css`. */
  readonly name: string;
  readonly mediaType: 'text/css' | 'text/javascript';
  readonly text: string;
  readonly etag: string;
}

const digestOf = (text: string, encoding: 'base64' | 'base64url'): string =>
  createHash('sha256').update(text).digest(encoding);

/** Strong: a digest of the bytes (RFC 9110 §8.8.3). */
export const etagOf = (text: string): string => `"${digestOf(text, 'base64url')}"`;

/** How a policy names an inline script (Content Security Policy Level 3 §2.3.1). */
export const sourceHash = (script: string): string => `'sha256-${digestOf(script, 'base64')}'`;

const MEDIA_TYPES = { css: 'text/css', js: 'text/javascript' } as const;

/** `site.css` with this content, minified. */
function assetOf(stem: string, kind: keyof typeof MEDIA_TYPES, source: string): Asset {
  const text = transformSync(source, { loader: kind, minify: true }).code;
  const name = `${stem}.${digestOf(text, 'base64url').slice(0, 12)}.${kind}`;
  return { name, mediaType: MEDIA_TYPES[kind], text, etag: etagOf(text) };
}

/** A file of this repository, named from its root. */
export const repositoryFile = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The style of all pages. */
export const siteStyle = assetOf('site', 'css', await repositoryFile('functions/docs/browser/site.css'));

/** The style of the reference, after that of all pages. */
export const referenceStyle = assetOf('reference', 'css', await repositoryFile('functions/docs/browser/reference.css'));

const made = new Map<string, Promise<Asset>>();

/** `login` is `browser/login.js`, with the digests of what it imports in its names. */
export function script(name: string): Promise<Asset> {
  const asset = made.get(name) ?? load(name);
  made.set(name, asset);
  return asset;
}

/** A script that is no file of `browser`, which others import by this name. */
export const addScript = (name: string, text: string): void => {
  made.set(name, Promise.resolve(assetOf(name, 'js', text)));
};

/** Those that were asked for, and what they import. */
export const allScripts = (): Promise<readonly Asset[]> => Promise.all(made.values());

const IMPORTED = /(?: from |import\()'\.\/([\w-]+)\.js'/g;

async function load(name: string): Promise<Asset> {
  const text = await repositoryFile(`functions/docs/browser/${name}.js`);
  const imports = [...new Set(Array.from(text.matchAll(IMPORTED), ([, imported = '']) => imported))];
  const assets = await Promise.all(imports.map(script));
  return assetOf(
    name,
    'js',
    imports.reduce(
      (rest, imported, index) => rest.replaceAll(`'./${imported}.js'`, `'./${assets[index]?.name}'`),
      text,
    ),
  );
}
