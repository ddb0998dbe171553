import type * as z from 'zod';
import type { cursorParameters, pageParameters } from '../contract/parameters.ts';
import type { Contract, ResponseType, Route } from '../contract/route.ts';
import type { Caller } from '../identity/caller.ts';
import type { CursorPage, Page, Stored } from '../table/repository/records.ts';
import type { Repository } from '../table/repository/repository.ts';
import type { Session } from '../table/session.ts';
import type { Tenant } from '../table/tenant.ts';
import type { HttpRequest } from './request.ts';
import type { Charge } from './request-budget.ts';
import { countDeliverable } from './response/deliverable.ts';

/**
 * An operation does what one route is for: reads, checks the domain's rules, stages its writes, and says what to answer.
 * It sees validated input and a tenant handle, never an event or a key, and it commits nothing: the unit of work does, and may
 * run it again when a record changed under its hands.
 */
export type Operation<R extends Route, X = BearerInput> = ((input: RouteInput<R> & X) => Promise<Answer<R>>) &
  ([FilterOf<R>] extends [never] ? unknown : Filtered<FilterOf<R>>);

/** The parameters by which a route's list can be filtered (`filtersOf` in `shared/contract/traits.ts`). */
type FilterOf<R extends Route> =
  BodyOf<R> extends { readonly data: readonly unknown[] }
    ? Exclude<
        keyof R['query']['shape'] & string,
        keyof typeof pageParameters | keyof typeof cursorParameters | 'org_id'
      >
    : never;

/** Knows that it can filter by these: made by `pagesOf` (`pages.ts`). */
export interface Filtered<F extends string> {
  readonly filters: { readonly [field in F]: true };
}

/** What the route's schemas made of the request. */
interface RouteInput<R extends Route> {
  readonly params: z.output<R['params']>;
  readonly query: z.output<R['query']>;
  readonly body: R['body'] extends { readonly schema: infer S extends z.ZodType } ? z.output<S> : undefined;
}

/** What an operation of a `bearer` route gets besides. */
export interface BearerInput {
  readonly caller: Caller;
  readonly tenant: Tenant;
  readonly session: Session;
  /**
   * The record that the route is about.
   * @throws Problem `not-found`, or `precondition-failed` when `If-Match` names another version
   */
  readonly getOrThrow: <T extends object>(records: Repository<T>, id: string) => Promise<Stored<T>>;
}

/** What an operation of a route without a bearer token gets besides. */
export interface OpenInput {
  readonly session: Session;
  readonly request: Pick<HttpRequest, 'headers' | 'repeated' | 'bytes' | 'sourceAddress'>;
  /** There, on a `bearer-optional` route, when a token was sent. */
  readonly caller: Caller | undefined;
  /** For an operation that finds out by itself who calls: charges the request to that caller's budget. */
  readonly charge: Charge;
}

/** What an operation works with beside its input. */
export type Scope = BearerInput | OpenInput;

/** What the schemas of whatever route made of a request. */
export interface Input {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** An operation of whatever route. */
export type AnyOperation = (input: Input & Scope) => Promise<Answer>;

type BodyOf<R extends Route> = R['response'] extends ResponseType<infer S> ? z.output<S> : undefined;

export interface Answer<R extends Route = Route> {
  /** Fields that the response's schema does not name stay inside. */
  readonly body: BodyOf<R>;
  /** Version of the answered record, for its `ETag`. */
  readonly version?: number;
  /** For pages: whether only their first records were read, since all would be too much. */
  readonly isCut?: boolean;
  /** For lists without pages: the id after which the rest begins. */
  readonly next?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON text to answer byte for byte, instead of the text of `body`. */
  readonly text?: string;
}

/** The operations of a domain, by the operation ids of its contract. */
export type Operations<C extends Contract> = {
  readonly [Id in keyof C['routes']]: Operation<
    C['routes'][Id],
    C['routes'][Id]['auth'] extends 'bearer' ? BearerInput : OpenInput
  >;
};

const asStored = <T, U>(record: T): U => record as unknown as U;

/** Answers with a record and its version; `show` makes what is answered of what is stored, where they differ. */
export const answerRecord = <T, U = T>(stored: Stored<T>, show: (record: T) => U = asStored) => ({
  body: show(stored.record),
  version: stored.version,
});

/** Answers with a page of records. */
export const answerPage = <T>(page: Page<T>, query: { readonly page: number; readonly page_size: number }) => ({
  body: {
    data: page.records.map(({ record }) => record),
    page: query.page,
    page_size: query.page_size,
    total: page.total,
  },
  isCut: page.isCut,
});

/** Answers with a list that is not cut in pages, or as much of it as one answer can carry. */
export const answerList = <T, U = T>(part: CursorPage<T>, show: (record: T) => U = asStored) => {
  const data = part.records.map(({ record }) => show(record));
  const fitting = countDeliverable(data);
  const next = fitting < data.length ? String(part.records[fitting - 1]?.item.id) : part.next;
  return { body: { data: data.slice(0, fitting) }, next };
};

/** Answers without a body. */
export const answerNothing = { body: undefined } as const;

/** Answers with a JSON text that was made before, byte for byte; an `ETag` among the headers answers conditional reads. */
export const answerText = (text: string, headers: Readonly<Record<string, string>>) => ({
  // Nobody looks at the body of an answer that has its text.
  body: undefined as never,
  text,
  headers,
});
