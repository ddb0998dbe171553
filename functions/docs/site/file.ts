import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

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

/** `site.css` with this content. */
export function assetOf(stem: string, kind: keyof typeof MEDIA_TYPES, text: string): Asset {
  const name = `${stem}.${digestOf(text, 'base64url').slice(0, 12)}.${kind}`;
  return { name, mediaType: MEDIA_TYPES[kind], text, etag: etagOf(text) };
}

/** A file of this repository, named from its root. */
export const repositoryFile = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
