import type { Caller } from './caller.ts';

/** Who does something: an integration, an anonymous caller, or the operator on the command line. */
export type Actor =
  | { readonly type: 'integration'; readonly integrationId: string; readonly appCode: string }
  | { readonly type: 'anonymous' }
  | { readonly type: 'operator' };

/** What an audit event records of the request that made a change. */
export interface Origin {
  readonly actor: Actor;
  /** Id of the operation: `rotateSecret`. */
  readonly operation: string;
  readonly requestId: string | null;
  readonly sourceAddress: string | null;
}

export const actorOf = (caller: Caller | undefined): Actor =>
  caller === undefined
    ? { type: 'anonymous' }
    : { type: 'integration', integrationId: caller.integrationId, appCode: caller.appCode };
