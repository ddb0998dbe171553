import * as z from 'zod';
import { lazily } from '../memory.ts';
import { uniqueFieldsOf } from './constraints.ts';
import type { ListParameter } from './list-parameter.ts';
import { tenant } from './parameters.ts';
import type { ProblemType } from './problem.ts';
import type { Body } from './record.ts';

/**
 * A route is the single declaration of an endpoint. The Lambda's router and validation, the API Gateway routes, the
 * OpenAPI document, the permission catalogue and the local gateway are all made from it.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call:
 * - `bearer`: a token, checked by the authorizer;
 * - `bearer-optional`: a token, or none where the stage allows a first key (see `functions/integrations`);
 * - `signature`: the body's HMAC, checked by the function;
 * - `none`: anyone.
 */
type Auth = 'bearer' | 'bearer-optional' | 'signature' | 'none';

/** `<area>:<verb>` (spec §2, Permission). */
export type PermissionCode = `${string}:${string}`;

type Parameters = z.ZodRawShape;
export type Example = { readonly [key: string]: unknown };

export interface ResponseType<S extends z.ZodType = z.ZodType> {
  readonly status: 200 | 201 | 202 | 204;
  /** Returns `{ data }`, with or without pages (spec §4). */
  readonly isList?: true;
  /** Returns counts of these records. */
  readonly counted?: { readonly schema: z.ZodType };
  /** Undefined: no body. */
  readonly schema: S | undefined;
  readonly description: string;
  readonly example?: unknown;
  /** For a response that is not JSON: an example by each media type. */
  readonly media?: Readonly<Record<`text/${string}`, string>>;
}

export interface Route<
  P extends Parameters = Parameters,
  Q extends Parameters = Parameters,
  B extends Body | undefined = Body | undefined,
  S extends z.ZodType = z.ZodType,
  A extends Auth = Auth,
> {
  readonly method: Method;
  /** Below the base address, with parameters in braces: `/api/v1/clients/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: A;
  /**
   * The function itself finds out who calls, by a token or by app code and secret (Basic): no authorizer does, because
   * the gateway would use its response for all routes.
   */
  readonly verifiesCaller?: true;
  /** The permission that a caller needs; every `bearer` route has one, or says `null`: any valid token is enough. */
  readonly permission?: PermissionCode | null;
  /** Callers of an organization are refused, whatever they send. */
  readonly callers?: 'platform';
  /** Also for people who see some clients only; without it they are refused. */
  readonly clientScope?: true;
  /** An extension: not in the spec, added to make what the spec shows usable (`docs/decisions/0001`). */
  readonly extension?: true;
  /**
   * Cuts off a key, or may do so: served from a reserve where the request budget is spent
   * (`docs/decisions/0081-request-budgets.md`).
   */
  readonly cutsOff?: true;
  readonly params: z.ZodObject<P>;
  readonly query: z.ZodObject<Q>;
  /** For a list: fields of its records that it neither filters nor sorts by, each with the reason. */
  readonly unfiltered?: Readonly<Record<string, string>>;
  /** For a list: filters besides those that follow from its fields. No index answers them. */
  readonly further?: () => Readonly<Record<string, ListParameter>>;
  readonly headers?: Readonly<Record<string, HeaderParameter>>;
  readonly body: B;
  /**
   * An endpoint of OAuth (RFC 6749 §3.2): its body may also be a form, parameters that it does not know are ignored,
   * and its errors have the form of §5.2 (`oauth.ts`).
   */
  readonly oauth?: true;
  /**
   * Its body is a message of JSON-RPC, which its operation checks: errors of the message have the schema of the
   * response. `accepted` describes the 202 to a notification.
   */
  readonly rpc?: { readonly accepted: string };
  /** Largest body in bytes, where it is not the one that follows from its fields (`free-form.ts`). */
  readonly maxBody?: number;
  /** A complete example of the request body. */
  readonly bodyExample?: Example;
  readonly response: ResponseType<S>;
  /** The webhook event with the same effect (spec §6): `client.created`. */
  readonly event?: EventDeclaration;
  /** For a `PUT`: which record it creates or changes. */
  readonly upsert?: Upsert;
  /** Its body has requests to other routes (`shared/http/batched-requests.ts`). */
  readonly batch?: Batching;
  /**
   * A privileged operation may give, change or remove permissions (`docs/decisions/0073`). A refused one leaves an
   * audit event.
   */
  readonly privileged?: true;
  /** For one that returns records of another domain: what that says of their fields. */
  readonly returns?: Pick<Contract, 'fieldPermissions' | 'recordType'>;
  /**
   * Problems besides those of every route of its kind (`traits.ts`); `already-exists` is added where the body has a
   * unique field.
   */
  readonly errors: readonly ProblemType[];
}

/** An event type, and the field of its `data` that has the value of the path's parameter: `id` by default. */
export interface EventDeclaration {
  readonly type: `${string}.${string}`;
  readonly idField?: string;
}

/**
 * A `PUT` to a list: it changes the record with the value that the query names, or else creates it. `response` is that
 * of the creation; a change has the same body with status 200.
 */
export interface Upsert {
  /** The field of the record, and the parameter of the query: `slug`. */
  readonly by: string;
  /** The body of the record's change: it says which fields an existing record keeps. */
  readonly patch: Body;
  /** Description of the 200. */
  readonly changed: string;
}

/**
 * The requests of a batch. Its body may come as NDJSON, too, one request a line, and the response is of the same
 * kind.
 */
export interface Batching {
  /** The field of the body that lists them: that of the body and of the response where they are JSON. */
  readonly field: string;
  /** The form of a line of NDJSON, and of its response, with an example of each. */
  readonly lines: Readonly<Record<'sent' | 'returned', { readonly description: string; readonly example: string }>>;
  /** The response where one of them failed (RFC 4918 §11.1). */
  readonly partly: { readonly status: 207; readonly description: string };
}

/** A request header that an operation reads, for the OpenAPI document. Its description says what it contains. */
export interface HeaderParameter {
  readonly description: string;
  readonly required: boolean;
  readonly maxLength: number;
  readonly pattern?: string;
}

export interface RouteOptions {
  readonly summary: string;
  readonly description?: string;
  readonly auth?: Auth;
  readonly verifiesCaller?: true;
  readonly permission?: PermissionCode | null;
  readonly callers?: 'platform';
  readonly clientScope?: true;
  readonly extension?: true;
  readonly cutsOff?: true;
  /** `named` (the default): a platform caller may name an organization by `org_id` in the query. `own`: nobody may. */
  readonly tenancy?: 'named' | 'own';
  readonly params?: () => Parameters;
  readonly query?: () => Parameters;
  readonly unfiltered?: Readonly<Record<string, string>>;
  readonly further?: () => Readonly<Record<string, ListParameter>>;
  readonly headers?: Readonly<Record<string, HeaderParameter>>;
  readonly body?: Body;
  readonly oauth?: true;
  readonly rpc?: Route['rpc'];
  readonly maxBody?: number;
  readonly bodyExample?: Example;
  readonly event?: EventDeclaration;
  readonly upsert?: Upsert;
  readonly batch?: Batching;
  readonly privileged?: true;
  readonly response: ResponseType;
  readonly errors?: readonly ProblemType[];
}

type Given<O, K extends keyof RouteOptions, Standard> = O extends { readonly [key in K]: infer V } ? V : Standard;
type None = Record<never, never>;

type Declared<D> = D extends () => infer P ? (P extends Parameters ? P : never) : never;

/** The route that these options declare. */
export type RouteOf<O extends RouteOptions> = Route<
  Declared<Given<O, 'params', () => None>>,
  Declared<Given<O, 'query', () => None>>,
  Given<O, 'body', undefined> extends infer B extends Body | undefined ? B : never,
  O['response'] extends ResponseType<infer S> ? S : never,
  Given<O, 'auth', 'bearer'> extends infer A extends Auth ? A : never
> &
  Pick<O, ('batch' | 'rpc') & keyof O>;

/**
 * Declares a route: `route('GET', '/api/v1/clients/{id}', { … })`. Its parameters are declared when first asked for.
 * @throws TypeError when the declaration contradicts itself; for parameters that differ from those in the path, when
 *   they are asked for
 */
export function route<const O extends RouteOptions>(method: Method, path: string, options: O): RouteOf<O> {
  const {
    params: declareParams = () => ({}),
    query: declareQuery = () => ({}),
    errors = [],
    auth = 'bearer',
    tenancy = 'named',
    body,
    ...rest
  }: RouteOptions = options;
  assertConsistent(method, path, options);
  const problems = lazily(() => [
    ...errors,
    ...(body !== undefined && uniqueFieldsOf(body.schema).size > 0 ? ['already-exists'] : []),
  ]);
  const params = lazily(() => {
    const declared = declareParams();
    assertParametersMatch(method, path, Object.keys(declared));
    return z.strictObject(declared);
  });
  const query = lazily(() => {
    const declared = declareQuery();
    if (options.upsert !== undefined && !(options.upsert.by in declared))
      throw new TypeError(`${method} ${path}: its query has no \`${options.upsert.by}\``);
    return z.strictObject({
      ...declared,
      ...(auth.startsWith('bearer') && tenancy === 'named' ? { org_id: tenant() } : {}),
    });
  });
  return {
    ...rest,
    method,
    path,
    auth,
    body,
    get errors() {
      return problems();
    },
    get params() {
      return params();
    },
    get query() {
      return query();
    },
  } as unknown as RouteOf<O>;
}

function assertConsistent(method: Method, path: string, options: RouteOptions): void {
  const { auth = 'bearer', permission, callers, clientScope, event, upsert, batch, body } = options;
  const wrong = (message: string): TypeError => new TypeError(`${method} ${path}: ${message}`);
  if (auth.startsWith('bearer') !== (permission !== undefined)) {
    throw wrong('routes with a bearer token, and only these, need a permission, or null for none');
  }
  if (callers !== undefined && (auth !== 'bearer' || event !== undefined)) {
    throw wrong('a route for platform callers takes a bearer token, and no event');
  }
  if (clientScope && (!permission || callers !== undefined || upsert !== undefined || batch !== undefined)) {
    throw wrong('people who see some clients only need a permission, and neither upsert nor send batches');
  }
  if ((method === 'PUT') !== (upsert !== undefined)) {
    throw wrong('a PUT, and nothing else, says which record it creates or changes');
  }
  if (options.verifiesCaller && auth !== 'bearer') throw wrong('only a route with a bearer token verifies its caller');
  if (batch !== undefined && (auth !== 'bearer' || body === undefined)) {
    throw wrong('a route of batches takes a bearer token and a body');
  }
}

function assertParametersMatch(method: Method, path: string, declared: readonly string[]): void {
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1]);
  if (inPath.length !== declared.length || inPath.some((parameter) => !declared.includes(parameter ?? ''))) {
    throw new TypeError(`${method} ${path}: path parameters and declaration differ`);
  }
}

/** A domain: the routes that one Lambda function serves. */
export interface Contract<R extends Readonly<Record<string, Route>> = Readonly<Record<string, Route>>> {
  /** Name of the function and of its folder: `service-actions`. */
  readonly name: string;
  /** Tag in the OpenAPI document. */
  readonly tag: string;
  readonly description: string;
  /** By operation id. */
  readonly routes: R;
  /**
   * The operation that most of its requests call, where it takes a body. Its schemas are built while the function is
   * loaded.
   */
  readonly mainOperation?: string;
  /**
   * Fields of the domain's records that need a further permission to be read and set. Each request that may show them
   * is counted.
   */
  readonly fieldPermissions?: Readonly<Record<string, PermissionCode>>;
  /** Name of the records that have these fields: `Service`. */
  readonly recordType?: string;
  /** Fields of the domain's records that people who see some clients only are not shown, and do not set. */
  readonly hiddenFromClients?: readonly string[];
  /**
   * Fields of responses that are shown once, and again only to the first caller
   * (`shared/http/idempotency.ts`). They are secrets of the integration whose `app_code` is in the
   * response.
   */
  readonly shownOnce?: readonly string[];
}

/** @throws TypeError for a main operation that has no route with a body */
export function contract<const R extends Readonly<Record<string, Route>>>(declared: Contract<R>): Contract<R> {
  const { name, mainOperation, routes } = declared;
  if (mainOperation !== undefined && routes[mainOperation]?.body === undefined)
    throw new TypeError(`${name}: its main operation ${mainOperation} takes no body`);
  for (const route of Object.values(routes))
    protectedFields.set(route, Object.keys((route.returns ?? declared).fieldPermissions ?? {}));
  return declared;
}

const protectedFields = new WeakMap<Route, readonly string[]>();

/** The fields of a route's records that need a further permission. */
export const protectedFieldsOf = (route: Route): readonly string[] => protectedFields.get(route) ?? [];
