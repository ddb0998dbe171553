import { hash } from 'node:crypto';
import { listErrors } from '@custodia/counted-lists';
import { Problem } from '#contract';
import type { Tenant } from '#table';

/**
 * The text that says from where a tenant's journal is read on: 24 bytes as base64url (RFC 4648 §5), which has no spare
 * bits for them, so each position has one text. The digest over them and the tenant finds mistakes and cursors of
 * others. It keeps nobody from making a cursor: whoever follows a journal may begin anywhere, and sees what it may.
 *
 *     version 1 │ generation 6 │ next number 6 │ digest 11
 */

type TenantId = Tenant['id'];

const VERSION = 1;
const BYTES = { generation: 6, next: 6, digest: 11 } as const;
const TEXT = /^[\w-]{32}$/;

/** A place in a journal. */
export interface Position {
  /** Names the numbering: another one begins when records are restored. */
  readonly generation: string;
  /** The first number that was not read yet. */
  readonly next: number;
}

/** A text is no cursor of this tenant. */
export class WrongCursor extends Error {
  override readonly name = 'WrongCursor';

  constructor() {
    super('the text is no cursor of this tenant');
  }
}

export function cursorOf(tenant: TenantId, { generation, next }: Position): string {
  const place = Buffer.alloc(1 + BYTES.generation + BYTES.next);
  place.writeUInt8(VERSION);
  place.write(generation, 1, 'hex');
  place.writeUIntBE(next, 1 + BYTES.generation, BYTES.next);
  return Buffer.concat([place, digestOf(tenant, place)]).toString('base64url');
}

/** @throws WrongCursor for a text that {@link cursorOf} has not made for this tenant */
export function readCursor(text: string, tenant: TenantId): Position {
  if (!TEXT.test(text)) throw new WrongCursor();
  const place = Buffer.from(text, 'base64url').subarray(0, -BYTES.digest);
  const next = place.readUIntBE(1 + BYTES.generation, BYTES.next);
  const position = { generation: place.toString('hex', 1, 1 + BYTES.generation), next };
  // Another version has another digest.
  if (cursorOf(tenant, position) !== text) throw new WrongCursor();
  return position;
}

const digestOf = (tenant: TenantId, place: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${tenant}\n`), place]), 'buffer').subarray(0, BYTES.digest);

/** Where a caller has sent something. */
export type Place = Pick<Problem['errors'][number], 'in' | 'pointer'>;

/**
 * The problem of an error that a cursor or what follows it has caused; other errors stay what they are.
 * @param place where the cursor was sent
 * @param others what may be sent there in place of a cursor
 */
export function cursorRefusal(error: unknown, place: Place, others: readonly string[] = []): unknown {
  if (error instanceof listErrors.FeedExpired) return cursorExpired(error);
  if (!(error instanceof WrongCursor)) return error;
  const words = others.map((word) => `\`${word}\`, `).join('');
  const allowed = `${words}${words && 'or '}the \`next\` of an earlier response as it was`;
  return invalidInput([{ ...place, detail: `is no cursor of this organization: send ${allowed}` }]);
}

const cursorExpired = (cause: Error): Problem =>
  new Problem('cursor-expired', {
    detail:
      'Events are kept for 30 days, and cursors end when records are restored from a backup. Begin anew: get a ' +
      'cursor ' +
      'with after=latest, then read every list with sort=created_at from its last page to its first, then follow the ' +
      'events from that cursor.',
    cause,
  });

export const invalidInput = (errors: readonly Problem['errors'][number][]): Problem =>
  new Problem(errors[0]?.in === 'body' ? 'invalid-body' : 'invalid-parameter', { errors });
