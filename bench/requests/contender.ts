import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Route } from '../../shared/contract/index.ts';
import type { CannedHandler } from './canned.ts';

/** A Lambda handler. */
export type Handle = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** Returns the handler of the function that serves a route. */
export type HandlerOf = (route: Route) => Handle;

/** The parameters of a contender. Region and credentials are in the environment, as in Lambda. */
export interface Setting {
  readonly requestHandler: CannedHandler;
  readonly tableName: string;
}
