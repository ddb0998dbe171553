import type * as z from 'zod';
import { type Contract, itemRouteOf, methodsOf, type Route } from '#contract';
import type { Caller } from '#identity';
import type { PageQuery, Repository, RequestSession, Stored, Tenant } from '#table';
import type { RequestBudget } from '#tenancy';
import type { BatchRequest, HttpRequest } from './request/http-request.ts';

/**
 * The work of one route: it reads, checks the domain's rules, stages writes and returns the response. It gets validated
 * input and a tenant handle, never an event or a raw key. The pipeline commits, and may run the operation again when a
 * record has changed meanwhile.
 */
export type Operation<R extends Route, X = BearerInput> = (input: RouteInput<R> & X) => Promise<OperationResponse<R>>;

/** An operation that says by what it filters and sorts: made by `pagesOf` (`pages.ts`). */
export interface Filtered {
  readonly filters: { readonly [name in string]: true };
}

/** The request as parsed by the route's schemas. */
interface RouteInput<R extends Route> {
  readonly params: z.output<R['params']>;
  readonly query: QueryOf<z.output<R['query']>>;
  readonly body: R['body'] extends { readonly schema: infer S extends z.ZodType } ? z.output<S> : undefined;
}

/** The query of a list has its filters as conditions, and its order as fields. */
type QueryOf<Q> = Q extends { readonly sort: unknown }
  ? Pick<Q, keyof Q & ('view' | 'merged' | 'org_id' | 'after')> & Required<PageQuery>
  : Q extends { readonly group_by: unknown }
    ? Pick<Q, 'group_by'> & Pick<Required<PageQuery>, 'where'>
    : Q;

/** The context of an operation of a `bearer` route. */
export interface BearerInput {
  readonly caller: Caller;
  readonly tenant: Tenant;
  readonly session: RequestSession;
  /**
   * Reads the record that the request is about.
   * @param show maps the stored record to the returned one, where they differ in fields that cannot be changed
   * @throws Problem `not-found`; `precondition-failed` when `If-Match` names another version; `invalid-body` when a
   *   change names another value of a field that cannot be changed
   */
  readonly getOrThrow: <T extends object>(
    records: Repository<T>,
    id: string,
    show?: (record: T) => object | Promise<object>,
  ) => Promise<Stored<T>>;
  /**
   * For an operation of a `cutsOff` route, when a request grants permissions.
   * @throws Problem `too-many-requests` where the request budget is spent, so that the request is served from the
   *   reserve
   */
  readonly requireBudget: () => void;
  /** Reads what is left of the request budgets that the request is charged to: one read for each. */
  readonly readLimits: RequestBudget['readLimits'];
}

/** What an operation of a route without a bearer token gets besides its input. */
export interface OpenInput {
  readonly session: RequestSession;
  readonly request: Pick<HttpRequest, 'headers' | 'repeated' | 'bytes' | 'sourceAddress' | 'baseUrl'>;
  /** Set on a `bearer-optional` route when a token was sent. */
  readonly caller: Caller | undefined;
  /** Charges the request to a caller's budget, for an operation that identifies its caller itself. */
  readonly charge: RequestBudget['charge'];
}

/** What the operation of a route that sends requests to others gets besides its input. */
export interface BatchInput extends BearerInput {
  /** To be handed on with each of the requests (`batched-requests.ts`). */
  readonly batchRequest: BatchRequest;
}

/** What an operation gets besides its input. */
export type OperationContext = BearerInput | BatchInput | OpenInput;

/** The parsed input of any route. */
export interface Input {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** An operation of any route. */
export type AnyOperation = (input: Input & OperationContext) => Promise<OperationResponse>;

type BodyOf<R extends Route> = z.output<NonNullable<R['response']['schema']>>;

export interface OperationResponse<R extends Route = Route> {
  /** The response leaves out fields that its schema does not name. */
  readonly body: BodyOf<R>;
  /** An upsert found the record: the response is not that of a creation. */
  readonly existed?: true;
  /** Where it is another than that of the contract: a batch of which an operation has failed, an error of JSON-RPC. */
  readonly status?: number;
  /** Version of the returned record, for its `ETag`. */
  readonly version?: number;
  /** For pages: whether only the first records were read because all of them would be too large. */
  readonly isCut?: boolean;
  /** For pages that no index has filtered and sorted: the read units that this took. */
  readonly residualUnits?: number;
  /** For cursor pages: the id after which the next one begins. */
  readonly next?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Stages what is left after the commit, for a transaction of its own, whose response takes the place of this one. */
  readonly goOn?: () => Promise<OperationResponse<R>>;
  /**
   * The text to return byte for byte, instead of the JSON text of `body`. It is JSON, unless `headers` say another
   * `Content-Type`.
   */
  readonly text?: string;
}

/** The operations of a domain, by the operation ids of its contract. */
export type Operations<C extends Contract> = {
  readonly [Id in keyof C['routes']]: Operation<
    C['routes'][Id],
    C['routes'][Id]['auth'] extends 'bearer'
      ? C['routes'][Id] extends { readonly batch: object } | { readonly rpc: object }
        ? BatchInput
        : BearerInput
      : OpenInput
  >;
};

/** A route of a contract with its operation. */
export interface MatchedRoute {
  readonly operationId: string;
  readonly contract: Contract;
  readonly route: Route;
  readonly operation: AnyOperation;
  /** Path of the route that reads a record created here, if the domain has one. */
  readonly itemPath: string | undefined;
}

type RouteTable = ReadonlyMap<string, MatchedRoute>;

/**
 * The routes of a domain by method and path, as API Gateway names the matched resource.
 * @throws TypeError for a route without an operation
 */
export function routeTable<C extends Contract>(contract: C, operations: Operations<C>): RouteTable {
  // Each operation is called with input of its own route's schemas, which the compiler cannot check across a table of
  // all routes.
  const byId = operations as unknown as Readonly<Record<string, AnyOperation>>;
  return new Map(
    Object.entries(contract.routes).flatMap(([operationId, route]) => {
      const operation = byId[operationId];
      if (operation === undefined) throw new TypeError(`${contract.name} has no operation ${operationId}`);
      const itemPath = itemRouteOf(contract, route)?.path;
      const matched: MatchedRoute = { operationId, contract, route, operation, itemPath };
      return methodsOf(route).map((method) => [`${method} ${route.path}`, matched] as const);
    }),
  );
}

/** What a request has from the one that sent it. */
export interface Batched {
  readonly matched: MatchedRoute;
  /** What its session shares with those of the others; undefined: it is alone, and no batch. */
  readonly batch?: NonNullable<RequestSession['batch']>;
  /** The suspension check that holds for it. */
  readonly suspensionCheck: Promise<void>;
}

/** An event of the gateway is not an operation of a batch. */
export interface MaybeBatched {
  readonly batched?: Batched;
}
