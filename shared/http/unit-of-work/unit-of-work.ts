import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '#contract';
import type { InSession } from '../middleware/in-session.ts';
import type { SuspensionChecked } from '../middleware/not-suspended.ts';
import type { Routed } from '../middleware/routed.ts';
import type { TenantScoped } from '../middleware/tenant-scoped.ts';
import type { Validated } from '../middleware/validated.ts';
import type { OperationResponse } from '../operation.ts';
import { checkReadOnlyFields } from '../request/read-only-fields.ts';
import { checkIfMatchOfNone } from '../response/entity-tags.ts';
import { responseOf } from '../response/http-response.ts';
import { IdempotentRequest } from './idempotency.ts';
import { ProtectedRead } from './protected-read.ts';
import { runAfterRefusal } from './rehearsal.ts';
import { runOnce } from './run.ts';

type Event = Routed & InSession & Validated & TenantScoped & SuspensionChecked;

/**
 * Operation → response → idempotency → commit. All of it runs again on a conflict with another request. A caller whose
 * organization is suspended gets no response and no commit.
 */
export async function unitOfWork(event: Event): Promise<APIGatewayProxyResult> {
  const { matched, request, session, input, readOnlyFields, scope, suspensionCheck } = event;
  const respond = async (): Promise<APIGatewayProxyResult> => {
    const reply = await matched.operation({ ...input, ...scope });
    if (creates(matched.route, reply)) {
      checkReadOnlyFields(matched.route, readOnlyFields, reply.body);
      if (matched.route.upsert !== undefined) checkIfMatchOfNone(request);
    }
    return responseOf({ matched, request, input, scope }, reply);
  };
  // The fingerprint of a request is stored: it keeps the name.
  const inputs = Object.keys(readOnlyFields).length === 0 ? input : { ...input, fixed: readOnlyFields };
  const idempotent = IdempotentRequest.of(matched, request, scope, inputs);
  const run = idempotent === undefined ? respond : () => runOnce(idempotent, session, respond);
  session.contention.bound(matched.route.cutsOff ?? false);
  const read = ProtectedRead.of(matched, input, scope);
  return runAfterRefusal(session, nameOf(event), async () => {
    const response = await permitted(suspensionCheck, run, read?.counted);
    await read?.stageEventOf(response);
    return response;
  });
}

const creates = ({ method }: Route, { existed }: OperationResponse): boolean =>
  method === 'POST' || (method === 'PUT' && !existed);

/** The name of caller and operation. The path of a webhook names its sender. */
function nameOf({ matched: { route }, scope: { caller }, input: { params } }: Event): string | undefined {
  const sender = caller?.integrationId ?? params.app_code;
  return sender === undefined ? undefined : `${route.method} ${route.path} ${sender}`;
}

/**
 * Runs in parallel to the suspension check and the count of protected reads, and waits for all to end. Where both
 * refuse, the suspension check's problem is returned.
 */
async function permitted<T>(
  suspensionCheck: Promise<void>,
  run: () => Promise<T>,
  counting?: Promise<void>,
): Promise<T> {
  const [checked, outcome, counted] = await Promise.allSettled([suspensionCheck, run(), counting]);
  if (checked.status === 'rejected') throw checked.reason;
  if (outcome.status === 'rejected') throw outcome.reason;
  if (counted.status === 'rejected') throw counted.reason;
  return outcome.value;
}
