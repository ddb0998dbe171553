import * as z from 'zod';
import { type Body, invalidField, Problem, type Route } from '#contract';
import {
  type Entity,
  NotUnique,
  type Repository,
  type RequestSession,
  StaleRead,
  type Stored,
  type Tenant,
} from '#table';
import type { AnyOperation, BearerInput, Input, Operation, OperationResponse } from './operation.ts';

/** Upserts: `PUT` to a list, which changes the record with the value that the query names, or else creates it. */

interface Parts {
  /** The field, which is the parameter of the query as well. */
  readonly by: string;
  readonly record: { readonly create: Body; readonly patch: Body };
  readonly entity: Entity<never>;
  /** Finds the id of the record with the value, strongly consistent; by default by the claim of a unique field. */
  readonly find?: (tenant: Tenant, value: string) => Promise<string | undefined>;
  /**
   * Stages that the record claims the value, where creating and changing it do not. `item`: as read; undefined for a
   * new record.
   */
  readonly claim?: (tenant: Tenant, id: string, item: Stored<object>['item'] | undefined, value: string) => void;
  /** The operations of the creation and of the change. */
  readonly write: () => readonly [create: unknown, update: unknown];
}

/**
 * The operation of an upsert, made of those of the creation and the change: so each record that it writes has passed
 * their checks and has left what they leave. An existing record gets the fields that were sent; a new one the defaults
 * of the others, too.
 *
 * Two at once make one record: the commit of the second is refused by the claim of the value, and its next run finds
 * the record. So does the next run of a request whose commit was carried out and seemed to be refused: its record was
 * not there before. A record that is deleted, or gets another value, between being found and being read is looked for
 * again.
 */
export const upsertOf = <R extends Route>(parts: Parts): Operation<R> => {
  const { by, record, entity, claim, write } = parts;
  const claimedFor = (tenant: Tenant, value: string) => tenant.records(entity).idOf(by as never, value);
  const { find = claimedFor } = parts;
  const operation: AnyOperation = async (given) => {
    const input = given as Input & BearerInput;
    const value = String(input.query[by]);
    const sent = withValue(input.body ?? {}, by, value);
    // Another request has claimed the value meanwhile: the next run finds its record. A refusal would count, and be
    // remembered.
    input.session.changes.explainRefusals((error) =>
      error instanceof NotUnique && error.field === by ? moved() : error,
    );
    const [create, update] = write();
    const id = await find(input.tenant, value);
    if (id === undefined) {
      const reply = await run(create, { ...input, body: withDefaults(record.create, sent) });
      claim?.(input.tenant, idOf(reply), undefined, value);
      return noteCreated(input, reply);
    }
    const { shape } = record.patch.schema;
    const body = Object.fromEntries(Object.entries(sent).filter(([field]) => field in shape));
    const getOrThrow = unlessMoved(input.getOrThrow, by, value, (item) => claim?.(input.tenant, id, item, value));
    const reply = await run(update, { ...input, params: { id }, body, getOrThrow });
    return createdIn(input).has(id) ? reply : { ...reply, existed: true };
  };
  return operation as unknown as Operation<R>;
};

/** The fields of a creation's body, with the defaults of those that were not sent. */
function withDefaults({ schema }: Body, sent: Readonly<Record<string, unknown>>) {
  const missing = Object.entries<unknown>(schema.shape).flatMap(([field, declared]) =>
    declared instanceof z.ZodDefault && !Object.hasOwn(sent, field) ? [[field, declared.def.defaultValue]] : [],
  );
  return { ...Object.fromEntries(missing), ...sent };
}

/** Ids of the records that requests have staged, also in runs that were refused. */
const created = new WeakMap<RequestSession, Set<unknown>>();

const createdIn = ({ session }: BearerInput): Set<unknown> => created.get(session) ?? new Set();

function noteCreated(input: BearerInput, reply: OperationResponse): OperationResponse {
  created.set(input.session, createdIn(input).add(idOf(reply)));
  return reply;
}

const idOf = ({ body }: OperationResponse): string => (body as { readonly id: string }).id;

const run = (operation: unknown, input: Input & BearerInput) => (operation as AnyOperation)(input);

/** @throws Problem `invalid-body` where the body names another value than the query */
function withValue(body: Readonly<Record<string, unknown>>, by: string, value: string) {
  if (body[by] !== undefined && body[by] !== value) {
    throw invalidField(by, `must be the ${by} of the query, or be left out`);
  }
  return { ...body, [by]: value };
}

/** Reads the record that was found; a stale read where it is gone or has another value by now. */
const unlessMoved =
  (
    getOrThrow: BearerInput['getOrThrow'],
    by: string,
    value: string,
    onFound: (item: Stored<object>['item']) => void,
  ): BearerInput['getOrThrow'] =>
  async <T extends object>(records: Repository<T>, id: string, show?: (record: T) => object | Promise<object>) => {
    const found: Stored<T> = await getOrThrow(records, id, show).catch((error: unknown) => {
      throw error instanceof Problem && error.type === 'not-found' ? moved() : error;
    });
    if ((found.record as Readonly<Record<string, unknown>>)[by] !== value) throw moved();
    onFound(found.item);
    return found;
  };

const moved = (): StaleRead => new StaleRead('the record with the value is another one by now');
