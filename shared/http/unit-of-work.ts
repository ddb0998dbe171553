import type { APIGatewayProxyResult } from 'aws-lambda';
import { IdempotentRequest } from './idempotency.ts';
import type { InSession } from './middleware/in-session.ts';
import type { Routed } from './middleware/routed.ts';
import type { TenantScoped } from './middleware/tenant-scoped.ts';
import type { Validated } from './middleware/validated.ts';
import { responseOf } from './response/answer.ts';
import { runOnce, runToCommit } from './run.ts';

type Event = Routed & InSession & Validated & TenantScoped;

/** Operation → response → idempotency → commit; all of it is run again on a conflict with another request. */
export async function unitOfWork({ matched, request, session, input, scope }: Event): Promise<APIGatewayProxyResult> {
  const respond = async (): Promise<APIGatewayProxyResult> =>
    responseOf({ matched, request, input, scope }, await matched.operation({ ...input, ...scope }));
  const idempotent = IdempotentRequest.of(matched, request, scope, input);
  return runToCommit(session, idempotent === undefined ? respond : () => runOnce(idempotent, session, respond));
}
