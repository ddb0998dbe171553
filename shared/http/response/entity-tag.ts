import { hash } from 'node:crypto';
import type { HttpRequest } from '../request.ts';

/**
 * The strong validator of a record: its version, which `If-Match` compares, and a digest of the body, so that the tag also changes with a
 * derived field (RFC 9110 §8.8.1).
 */
export const entityTag = (version: number, body: string): string => `"${version}.${digestOf(body)}"`;

/** The weak validator of a list, which nobody can change as a whole: a digest of the body (RFC 9110 §8.8.1). */
export const listTag = (body: string): string => `W/"${digestOf(body)}"`;

const digestOf = (body: string): string => hash('sha256', body, 'base64url').slice(0, 12);

/** Whether `If-None-Match` names this tag, weak or strong (RFC 9110 §13.1.2). `includes` is exact, because no tag contains quotation marks. */
export function isFresh(request: HttpRequest, tag: string): boolean {
  const held = request.headers.get('if-none-match') ?? '';
  return held.trim() === '*' || held.includes(tag.replace(/^W\//, ''));
}
