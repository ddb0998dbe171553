import * as z from 'zod';
import { Problem, parse } from '#contract';
import * as field from '#contract/field';
import type { OpenInput } from '#http';
import { lazily } from '../../shared/memory.ts';
import { MAX_EVENT_ID } from './contract.ts';

/** The event headers of a delivery. */
export interface EventHeaders {
  readonly eventId: string;
  /** When the event happened, by the sender's own clock. */
  readonly occurredAt: string | null;
}

const schema = lazily(() =>
  z.object({
    'X-Event-ID': field.identifier(MAX_EVENT_ID).min(1, { error: 'is required' }),
    'X-Timestamp': field.timestamp().nullable(),
  }),
);

/** @throws Problem `invalid-parameter` */
export function eventHeadersOf({
  headers,
  repeated,
}: Pick<OpenInput['request'], 'headers' | 'repeated'>): EventHeaders {
  // Two ids would be joined into one. A second signature or time is refused anyway, because the joined text is
  // malformed.
  if (repeated.has('x-event-id')) throw invalidHeader('X-Event-ID', 'given more than once');
  const sent = { 'X-Event-ID': headers.get('x-event-id') ?? '', 'X-Timestamp': headers.get('x-timestamp') ?? null };
  const parsed = parse(schema(), sent, 'header');
  return { eventId: parsed['X-Event-ID'], occurredAt: parsed['X-Timestamp'] };
}

/**
 * Refuses an event whose time is further from now than the stage or the integration tolerates. Off by default: a
 * retried event is old, and the header is not signed, so that this does not stop an attacker.
 * @param tolerance that of the integration, in seconds; null: any time
 * @throws Problem `invalid-parameter`
 */
export function checkAge({ occurredAt }: EventHeaders, tolerance: number | null | undefined, now: number): void {
  const strictest = Math.min(tolerance ?? Number.POSITIVE_INFINITY, stageTolerance());
  if (strictest === Number.POSITIVE_INFINITY) return;
  if (occurredAt === null) throw invalidHeader('X-Timestamp', 'is required by this integration');
  const age = Math.abs(now - Date.parse(occurredAt)) / 1000;
  if (age > strictest) throw invalidHeader('X-Timestamp', `must be within ${strictest} seconds of now`);
}

/** `WEBHOOK_TOLERANCE_SECONDS`; any time where that is not a whole number from 1 on. */
function stageTolerance(): number {
  const seconds = process.env.WEBHOOK_TOLERANCE_SECONDS ?? '';
  return /^[1-9]\d{0,8}$/.test(seconds) ? Number(seconds) : Number.POSITIVE_INFINITY;
}

const invalidHeader = (name: string, detail: string): Problem =>
  new Problem('invalid-parameter', { errors: [{ in: 'header', pointer: `#/${name}`, detail }] });
