import { Problem } from '../contract/problem.ts';
import type { HttpRequest } from './request.ts';

/**
 * Checks `If-Match` against the version of the record as read (RFC 9110 §13.1.1). The write's condition checks that version again at
 * commit.
 *
 * An entity tag is `"<version>.<digest>"`; only the version is compared, for a changed counter is no reason to refuse.
 * @throws Problem `precondition-failed`, or `invalid-parameter` when the header is not a list of entity tags
 */
export function checkIfMatch(request: HttpRequest, version: number): void {
  const header = request.headers.get('if-match');
  if (header === undefined || header.trim() === '*') return;
  const tags = header.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => ENTITY_TAG.test(tag))) {
    throw new Problem('invalid-parameter', {
      errors: [{ in: 'header', pointer: '#/If-Match', detail: 'must be "*" or a list of entity tags' }],
    });
  }
  if (!tags.some((tag) => VERSION.exec(tag)?.[1] === String(version))) throw new Problem('precondition-failed');
}

const ENTITY_TAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;
/** A weak tag never matches here: `If-Match` compares strongly. */
const VERSION = /^"(\d+)\.[\w-]+"$/;
