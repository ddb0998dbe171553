import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type Clock, systemClock } from '../../shared/clock.ts';
import type { Route } from '../../shared/contract/index.ts';
import type { CannedHandler } from './canned.ts';

/** A Lambda handler. */
export type Handle = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** Returns the handler of the function that serves a route. */
export type HandlerOf = (route: Route) => Handle;

/** Region and credentials are in the environment, as in Lambda. */
export interface Setting {
  readonly requestHandler: CannedHandler;
  readonly tableName: string;
}

/**
 * Time between two requests, in milliseconds. With the standard limit of 600 requests a minute, every request is
 * served, and the caller's budget is flushed as often as in production.
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
