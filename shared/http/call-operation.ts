import { Problem } from '#contract';
import type { Caller } from '#identity';
import { NotUnique, type Repository, type RequestSession, type Stored, type Tenant } from '#table';
import type { MatchedRoute } from './operation.ts';
import { noRecord, problemOf } from './problems.ts';
import { validBody, validParams } from './request/validate.ts';

/** What is known of a call before its input: as of an operation of a `bearer` route. */
interface CallContext {
  readonly tenant: Tenant;
  readonly caller: Caller;
  readonly session: RequestSession;
}

/** Not validated yet. */
interface CallInput {
  readonly params: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Calls an operation without a request of its own, with the validation of its route. It stages its writes in the
 * session.
 * @param explain translates refusals, here and at the commit
 * @returns its response, and the validated parameters
 * @throws Problem
 */
export async function callOperation(
  { route, operation }: Pick<MatchedRoute, 'route' | 'operation'>,
  given: CallInput,
  context: CallContext,
  explain: (refusal: Problem) => Problem,
) {
  const explained = (error: unknown): unknown => {
    const refusal = error instanceof NotUnique ? problemOf(error) : error;
    return refusal instanceof Problem ? explain(refusal) : refusal;
  };
  context.session.changes.explainRefusals(explained);
  try {
    const params = validParams(route, given);
    const body = route.body && validBody(route.body, given.body);
    const response = await operation({ ...context, params, query: {}, body, getOrThrow, ...NO_BUDGET });
    return { response, params };
  } catch (error) {
    throw explained(error);
  }
}

/** The call was charged before, without a reserve. */
const NO_BUDGET = { requireBudget: () => undefined, readLimits: async () => [] };

/** Without `If-Match`, which such a call does not have. */
async function getOrThrow<T extends object>(records: Repository<T>, id: string): Promise<Stored<T>> {
  const stored = await records.get(id);
  if (stored === undefined) throw noRecord(records.entity);
  return stored;
}
