import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Clock, systemClock } from '../../shared/clock.ts';

/**
 * Time from one request to the next, in milliseconds: a caller keeps to the standard limit of 600 requests a minute, so that it is served, and
 * its budget is flushed as often as in production.
 */
const PAUSE_MS = 110;

const START = systemClock();
let requests = 0;

/** The time of the requests that are played. */
export const clock: Clock = () => START + requests * PAUSE_MS;

export const passTime = (): void => {
  requests++;
};

/** How long a caller uses a token, in seconds. */
const TOKEN_AGE = 3_000;

/** Gives the caller of an event a new token, as callers get one before theirs expires. */
export function renewToken({ requestContext: { authorizer } }: APIGatewayProxyEvent): void {
  if (authorizer) authorizer.expires_at = String(Math.floor(clock() / 1_000) + TOKEN_AGE);
}
