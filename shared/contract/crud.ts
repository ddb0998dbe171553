import type * as z from 'zod';
import { changesOf } from './changes.ts';
import { reference } from './constraints.ts';
import { identifier } from './fields.ts';
import type { Body } from './record.ts';
import { created, noContent, ok, pageOf } from './responses.ts';
import { type Example, type PermissionCode, type RouteOf, type RouteOptions, route } from './route.ts';
import { summaryRoute } from './summary.ts';

/** A record with its bodies, as `record` makes it. */
interface Kind<S extends z.ZodType, C extends Body, P extends Body, U extends Body> {
  /** `ServiceAction` */
  readonly name: string;
  readonly schema: S;
  readonly create: C;
  readonly patch: P;
  readonly upsert: U;
}

interface Naming {
  /** The path of the list. */
  readonly path: `/api/v1/${string}`;
  /** With its article: `a service action`. */
  readonly one: string;
  readonly many: string;
  readonly example: Example;
  /** The area of its permissions, where it is not the last segment of the path: `audit`. */
  readonly area?: string;
  /** Whether a webhook can have the effect of its writes: `service_action.created`. Default: yes. */
  readonly hasEvents?: false;
}

type Given = Partial<RouteOptions>;
type WithExample = Given & { readonly bodyExample: Example };
/** What a domain gives, in place of what follows from the record. */
type Over<D, O> = Omit<D, keyof O> & O;

/**
 * The routes that most kinds of records have. A domain gives what differs from the usual:
 *
 *     const usual = crud(terminal, { path: '/api/v1/terminals', one: 'a terminal', many: 'terminals', example });
 *     routes: {
 *       listTerminals: usual.list({ query: parameter.page }),
 *       createTerminal: usual.create({ bodyExample: { name: 'Front desk' } }),
 *       getTerminal: usual.read(),
 *       listTerminalChanges: usual.changes(),
 *       updateTerminal: usual.update({ bodyExample: { status: 'inactive' } }),
 *       deleteTerminal: usual.remove(),
 *       restoreTerminal: usual.restore(),
 *     }
 */
export function crud<S extends z.ZodType, C extends Body, P extends Body, U extends Body>(
  kind: Kind<S, C, P, U>,
  naming: Naming,
) {
  const { path, one, many, example, hasEvents = true } = naming;
  const [item, noun] = [`${path}/{id}`, one.replace(/^an? /, '')];
  const area = naming.area ?? path.slice(path.lastIndexOf('/') + 1);
  const permissions = { read: `${area}:read`, write: `${area}:write` } as const satisfies Record<
    string,
    PermissionCode
  >;
  const event = (verb: string) => (hasEvents ? { event: { type: `${snakeCase(kind.name)}.${verb}` as const } } : {});
  const params = () => ({ id: reference(kind.name) });
  const named = { params, errors: ['not-found'] } as const;
  const made = <D extends RouteOptions, O>(method: Parameters<typeof route>[0], at: string, usual: D, given: O) =>
    route(method, at, { ...usual, ...given }) as unknown as RouteOf<
      Over<D, O> extends infer R extends RouteOptions ? R : never
    >;

  return {
    /** The parameter of the path, also for routes below it. */
    params,
    list: <const O extends Given>(given: O) => {
      const response = pageOf(kind, `A page of ${many}.`, example);
      return made('GET', path, { summary: `List ${many}`, permission: permissions.read, response }, given);
    },
    /** Counts what the list has, by a field. @param filters those of the list */
    summary: <Q extends z.ZodRawShape>(filters: () => Q) => summaryRoute(kind, { ...naming, ...permissions }, filters),
    create: <const O extends WithExample>(given: O) => {
      const response = created(kind, `The created ${noun}.`, example);
      const usual = { summary: `Create ${one}`, permission: permissions.write, body: kind.create, response };
      return made('POST', path, { ...usual, ...event('created') }, given);
    },
    /** By the id that another system gave it. */
    upsert: <const O extends WithExample>(given: O) => made('PUT', path, usualUpsert(kind, naming, permissions), given),
    read: <const O extends Given = Record<never, never>>(given?: O) => {
      const response = ok(kind, `The ${noun}.`, example);
      const usual = { summary: `Read ${one}`, permission: permissions.read, ...named, response };
      return made('GET', item, usual, given as O);
    },
    /** Needs an entity whose records keep their history (`journaled`). */
    changes: () =>
      route('GET', `${item}/changes`, { ...named, ...changesOf(one, example), permission: permissions.read }),
    /** The example of the response has what that of the body sets. */
    update: <const O extends WithExample>(given: O) => {
      const response = ok(kind, `The updated ${noun}.`, { ...example, ...given.bodyExample });
      const usual = { summary: `Change ${one}`, permission: permissions.write, ...named, body: kind.patch, response };
      return made('PATCH', item, { ...usual, ...event('updated') }, given);
    },
    remove: <const O extends Given = Record<never, never>>(given?: O) => {
      const response = noContent(`The ${noun} is deleted.`);
      const usual = { summary: `Delete ${one}`, permission: permissions.write, ...named, response };
      return made('DELETE', item, { ...usual, ...event('deleted') }, given as O);
    },
    /** Needs an entity whose deleted records can be restored (`restorable`). */
    restore: () => restorationOf(kind, naming, { params, permission: permissions.write, ...event('restored') }),
  };
}

function usualUpsert<S extends z.ZodType, C extends Body, P extends Body, U extends Body>(
  kind: Kind<S, C, P, U>,
  { one, example }: Naming,
  { write: permission }: { readonly write: PermissionCode },
) {
  const noun = one.replace(/^an? /, '');
  return {
    summary: `Create ${one}, or change the one with this external id`,
    description:
      `An existing ${noun} gets the fields that are sent, and keeps the others. With \`If-Match\` nothing is ` +
      'created, with `If-None-Match: *` nothing changed.',
    permission,
    extension: true,
    query: () => ({
      external_id: identifier(500, 1).describe(`Which ${noun} to change; a new one gets this \`external_id\`.`),
    }),
    body: kind.upsert,
    upsert: { by: 'external_id', patch: kind.patch, changed: `The changed ${noun}, or the ${noun} as it was.` },
    response: created(kind, `The created ${noun}.`, example),
  } as const;
}

/** The route that restores a deleted record. */
const restorationOf = <S extends z.ZodType, const O extends Given>(
  kind: { readonly schema: S },
  { path, one, example }: Naming,
  given: O,
) =>
  route('POST', `${path}/{id}/restore`, {
    extension: true,
    summary: `Restore ${one}`,
    description:
      'For 30 days after its deletion, as it was then, with a higher version. One that is there is returned as it ' +
      'is. `GET /trash` lists what can be restored.',
    response: ok(kind, 'The record, which is there again.', example),
    errors: ['not-found', 'already-exists', 'reference-not-found'],
    ...given,
  });

/** `ServiceAction` is `service_action`. */
const snakeCase = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
