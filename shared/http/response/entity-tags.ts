import { hash } from 'node:crypto';
import { Problem } from '#contract/problem';
import type { HttpRequest } from '../request/http-request.ts';

/** Entity tags of responses, and the conditions of requests that name them (RFC 9110 §8.8.3, §13). */

/**
 * The strong validator of a record: its version, which `If-Match` compares, and a digest of the body, so that the tag also changes with a
 * derived field (RFC 9110 §8.8.1).
 */
export const entityTag = (version: number, body: string): string => `"${version}.${digestOf(body)}"`;

/** The weak validator of what has no version, such as a list: a digest of the body (RFC 9110 §8.8.1). */
export const listTag = (body: string): string => `W/"${digestOf(body)}"`;

/** Its last character is no dash, which could not be told from the first of a proxy's mark. */
const digestOf = (body: string): string => hash('sha256', body, 'base64url').slice(0, 12).replace(/-$/, '_');

/** What proxies that compress a response add to its tag, within the quotation marks: `-gzip` (Apache, Caddy), `--gzip` (Jetty), `;gzip`. */
const CODINGS = /(?:--?|;)(?:gzip|deflate|br|zstd)(?=")/g;

/**
 * Whether `If-None-Match` names this tag, weak or strong (RFC 9110 §13.1.2), also as a proxy has marked it. `includes` is exact, because no tag
 * contains quotation marks.
 */
export function isFresh(request: HttpRequest, tag: string): boolean {
  const held = request.headers.get('if-none-match') ?? '';
  return held.trim() === '*' || held.replace(CODINGS, '').includes(tag.replace(/^W\//, ''));
}

/**
 * Checks `If-Match` against the version of the record as read (RFC 9110 §13.1.1). The write's condition checks that version again at
 * commit.
 *
 * An entity tag is `"<version>.<digest>"`; only the version is compared, because a changed counter is no reason to refuse. So a tag that a proxy
 * has weakened or marked when it compressed the response names the same version (`docs/decisions/0007-entity-tags.md`).
 * @throws Problem `precondition-failed`, or `invalid-parameter` when the header is not a list of entity tags
 */
export function checkIfMatch(request: Headers, version: number): void {
  const tags = tagsOf(request, 'If-Match');
  if (tags === undefined || tags === '*') return;
  if (tags.some((tag) => VERSION.exec(tag)?.[1] === String(version))) return;
  const detail = tags.some((tag) => VERSION.test(tag)) ? ANOTHER_VERSION : NO_TAG_OF_A_RECORD;
  throw new Problem('precondition-failed', { detail });
}

/**
 * Checks `If-Match` of a request that creates a record: no tag, and not even `*`, matches what is not there (RFC 9110 §13.1.1).
 * @throws Problem `precondition-failed`, or `invalid-parameter` when the header is not a list of entity tags
 */
export function checkIfMatchOfNone(request: Headers): void {
  if (tagsOf(request, 'If-Match') === undefined) return;
  throw new Problem('precondition-failed', { detail: 'If-Match names a version of a record that is not there.' });
}

const ANOTHER_VERSION = 'If-Match names another version. Read the record again, and send the ETag that it has now.';
/** Those of lists are none. */
const NO_TAG_OF_A_RECORD =
  'If-Match names no ETag of a record, such as "3.pQ8x0aZcVd1k": send the one that was read with the record.';

/**
 * Checks `If-None-Match` of a request that changes an existing record: `*` never holds, and a tag does not hold while it is the record's
 * (RFC 9110 §13.1.2). In a read it asks for a 304: {@link isFresh}.
 * @throws Problem `precondition-failed`, or `invalid-parameter` when the header is not a list of entity tags
 */
export function checkIfNoneMatch(request: Headers, version: number): void {
  const tags = tagsOf(request, 'If-None-Match');
  if (tags === undefined) return;
  const holds = tags !== '*' && !tags.some((tag) => VERSION.exec(tag)?.[1] === String(version));
  if (!holds) {
    throw new Problem('precondition-failed', {
      detail: 'The record is there, in a version that If-None-Match excludes.',
    });
  }
}

type Headers = Pick<HttpRequest, 'headers'>;

function tagsOf({ headers }: Headers, name: 'If-Match' | 'If-None-Match'): '*' | readonly string[] | undefined {
  const header = headers.get(name.toLowerCase())?.trim();
  if (header === undefined || header === '*') return header;
  const tags = header.split(',').map((tag) => tag.trim());
  if (tags.every((tag) => ENTITY_TAG.test(tag))) return tags;
  throw new Problem('invalid-parameter', {
    errors: [{ in: 'header', pointer: `#/${name}`, detail: 'must be "*" or a list of entity tags' }],
  });
}

/** Some libraries strip the quotation marks. Without them a tag has letters, digits, points, dashes and underscores only. */
const ENTITY_TAG = /^((W\/)?"[\x21\x23-\x7e\x80-\xff]*"|[\w.-]+)$/;
/** The version of a tag, weak or strong, with the mark of a coding or without. */
const VERSION = /^(?:W\/)?"?(\d+)\.[\w-]+(?:;\w+)?"?$/;
