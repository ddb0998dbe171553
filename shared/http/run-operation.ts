import { setTimeout as sleep } from 'node:timers/promises';
import { listErrors } from '@custodia/counted-lists';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { Problem, type Route } from '#contract';
import { NotUnique, type RequestSession, StaleRead } from '#table';
import { keepNewest } from '../memory.ts';
import { withoutHidden } from './client-scope.ts';
import { CredentialsRead } from './credentials-read.ts';
import { IdempotentRequest } from './idempotency.ts';
import type { Validated } from './middleware/input.ts';
import type { InSession, Routed } from './middleware/routing.ts';
import type { SuspensionChecked, TenantScoped } from './middleware/tenant.ts';
import { withIds } from './named-references.ts';
import type { OperationResponse } from './operation.ts';
import { problemOf } from './problems.ts';
import { checkReadOnlyFields, hasObject } from './request/validate.ts';
import { checkIfMatchOfNone, responseOf } from './response.ts';

type Event = Routed & InSession & Validated & TenantScoped & SuspensionChecked;

/**
 * Operation → response → idempotency → commit. All of it runs again on a conflict with another request. A caller whose
 * organization is suspended gets no response and no commit.
 */
export async function runOperation(event: Event): Promise<APIGatewayProxyResult> {
  const { matched, request, session, input, readOnlyFields, scope, suspensionCheck } = event;
  const respond = async (goOn?: OperationResponse['goOn']): Promise<APIGatewayProxyResult> => {
    const mayName = input.body !== undefined && 'tenant' in scope && hasObject(input.body);
    const named = mayName ? { ...input, body: await withIds(matched.route, input.body, scope) } : input;
    const reply = await (goOn?.() ?? matched.operation({ ...named, ...scope }));
    if (creates(matched.route, reply)) {
      checkReadOnlyFields(matched.route, readOnlyFields, reply.body);
      if (matched.route.upsert !== undefined) checkIfMatchOfNone(request);
    }
    const shown = scope.caller?.clients ? withoutHidden(matched, reply) : reply;
    const response = responseOf({ matched, request, input, scope }, shown);
    if (reply.goOn !== undefined) continuations.set(response, () => respond(reply.goOn));
    return response;
  };
  // The fingerprint of a request is stored: it keeps the name.
  const inputs = Object.keys(readOnlyFields).length === 0 ? input : { ...input, fixed: readOnlyFields };
  const hasKey = request.headers.has('idempotency-key');
  const idempotent = hasKey ? IdempotentRequest.of(matched, request, scope, inputs) : undefined;
  const run = idempotent === undefined ? respond : () => runOnce(idempotent, session, respond);
  session.contention.bound(matched.route.cutsOff ?? false);
  const read = matched.contract.fieldPermissions && CredentialsRead.of(matched, input, scope);
  const committed = await runAfterRefusal(session, nameOf(event), async () => {
    const response = await permitted(suspensionCheck, run, read?.counted);
    await read?.stageEventOf(response);
    return response;
  });
  return continuations.has(committed) ? goOnAfter(committed, session) : committed;
}

/** What is left to do after the commit of a response. */
const continuations = new WeakMap<APIGatewayProxyResult, () => Promise<APIGatewayProxyResult>>();
/** Most transactions of a request, and how long after its beginning the last one begins, in milliseconds. */
const MOST = { transactions: 10, beginWithin: 8_000 } as const;

/** @returns the response of the last transaction that was committed: a further one that is refused changes nothing */
async function goOnAfter(committed: APIGatewayProxyResult, session: RequestSession): Promise<APIGatewayProxyResult> {
  let response = committed;
  for (let count = 1; count < MOST.transactions && session.clock() - session.now <= MOST.beginWithin; count++) {
    const next = continuations.get(response);
    if (next === undefined) break;
    session.restart();
    try {
      response = await runToCommit(session, next);
    } catch (error) {
      if (problemOf(error).type === 'internal-error') throw error;
      break;
    }
  }
  return response;
}

const creates = ({ method }: Route, { existed }: OperationResponse): boolean =>
  method === 'POST' || (method === 'PUT' && !existed);

/** The name of caller and operation. The path of a webhook names its sender. */
function nameOf({ matched: { route }, scope: { caller }, input: { params } }: Event): string | undefined {
  const sender = caller?.id ?? params.app_code;
  return sender === undefined ? undefined : `${route.method} ${route.path} ${sender}`;
}

/**
 * Runs in parallel to the suspension check and the count of such reads, and waits for all to end. Where both
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

/**
 * Longest random wait before an operation is run again after a stale read, in milliseconds. It doubles with each try up
 * to the longest: a request that must not give up takes few calls until its deadline.
 */
const STALE_WAIT = { first: 15, longest: 4_000 } as const;

/**
 * Runs an operation and commits its staged writes. The operation is run again from the start
 * - when a record that it read has changed meanwhile, while there is time;
 * - once, when its commit was refused: the conflict may be with this request's own first attempt, which the operation
 *   recognizes on fresh reads (an event processed, a key used). A conflict with another request happens again and
 *   counts.
 * @throws Contended where others have changed the same records each time (`session.contention`); TableUnavailable when
 *   there is no time for that second run, or the outcome of the commit is unknown; and whatever the operation throws
 * @example await runToCommit(session, async () => tenant.records(userEntity).update(before, changes));
 */
export async function runToCommit<T>(session: RequestSession, operation: () => Promise<T>): Promise<T> {
  let refused = false;
  for (let tries = 1; ; tries++) {
    let committing = false;
    session.contention.beginRun();
    try {
      const response = await operation();
      committing = true;
      await session.commit();
      return response;
    } catch (error) {
      const isFirstRefusal: boolean = committing && !refused && isRefusal(error);
      const pause = pauseAfter(error, tries);
      const last = isFirstRefusal ? lastOfRefused(session, error) : lastOf(session, error, pause);
      if (last !== undefined) {
        await session.abandon(isFirstRefusal ? error : last);
        throw last;
      }
      refused ||= isFirstRefusal;
      await Promise.all([sleep(pause), session.changes.settle()]);
      session.restart();
    }
  }
}

/** The wait before the next run, in milliseconds. Only conflicts with other requests need a wait. */
export const pauseAfter = (error: unknown, tries: number): number =>
  error instanceof StaleRead ? Math.random() * Math.min(STALE_WAIT.first * 2 ** (tries - 1), STALE_WAIT.longest) : 0;

/** The error with which a request ends; undefined where there is a further run. */
function lastOf(session: RequestSession, error: unknown, pause: number): unknown {
  if (!(error instanceof StaleRead)) return error;
  const refusal = session.contention.refusal(error, pause);
  return refusal ?? (session.clock() + pause > session.deadline ? error : undefined);
}

const lastOfRefused = (session: RequestSession, error: unknown): unknown =>
  session.clock() > session.deadline ? uncheckedConflict(error) : undefined;

const uncheckedConflict = (cause: unknown): listErrors.TableUnavailable =>
  new listErrors.TableUnavailable('no time left to check whether the conflict is with an earlier attempt', { cause });

/** Whether an error refuses the request itself. */
export const isRefusal = (error: unknown): boolean => error instanceof Problem || error instanceof NotUnique;

/**
 * Runs an operation under an idempotency key: a key used before gets the stored response. Most keys are new, so the
 * operation runs in parallel to the look-up, and its staged writes are dropped where the key was used
 * (`docs/decisions/0060`). A refusal may be a conflict with this request's own first attempt (a slug that exists by
 * now), so the key is looked up once more before the refusal counts.
 */
export async function runOnce(
  request: IdempotentRequest,
  session: RequestSession,
  operation: () => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const looking = request.earlierResponse();
  const [earlier, responded] = request.isProbablyRepeated
    ? [await looking, undefined]
    : await bothOf(looking, operation());
  if (earlier !== undefined) {
    session.restart();
    return earlier;
  }
  try {
    const response = await (responded ?? operation());
    await request.remember(response);
    return response;
  } catch (error) {
    const meanwhile = error instanceof Problem ? await request.earlierResponse() : undefined;
    if (meanwhile === undefined) throw error;
    session.restart();
    return meanwhile;
  }
}

/** Waits for both. @returns the result of the first and the outcome of the second. @throws what the first throws */
async function bothOf<T, U>(first: Promise<T>, second: Promise<U>): Promise<[T, Promise<U>]> {
  const [found] = await Promise.allSettled([first, second]);
  if (found.status === 'rejected') throw found.reason;
  return [found.value, second];
}

/**
 * A caller that was refused after list numbers were allocated is checked earlier the next time: references and other
 * conditions are read first, and only then numbers are allocated (`docs/decisions/0003-counted-lists.md`). So a caller
 * who sends refused creates in a loop leaves no gaps in the lists. It costs other callers no call. It is a hint:
 * another container does not know of it.
 */

/** By caller and operation, the last refused one last. */
const refused = new Map<string, true>();
const KEPT = 1_000;

/**
 * Runs an operation of a caller to its commit.
 * @param name of caller and operation; undefined for an unknown caller, which is not remembered
 * @throws as {@link runToCommit}
 */
export async function runAfterRefusal<T>(
  session: RequestSession,
  name: string | undefined,
  operation: () => Promise<T>,
): Promise<T> {
  if (name === undefined) return runToCommit(session, operation);
  if (refused.has(name)) {
    await session.runOnTrial(operation).catch((error: unknown) => {
      // Anything else is decided by the run.
      if (isRefusal(error)) throw error;
    });
  }
  try {
    const response = await runToCommit(session, operation);
    if (session.numbers.hasAllocated) refused.delete(name);
    return response;
  } catch (error) {
    if (session.numbers.hasAllocated && isRefusal(error)) keepNewest(refused, name, true, KEPT);
    throw error;
  }
}
