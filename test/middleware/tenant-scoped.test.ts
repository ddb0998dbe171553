import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Method, noContent, type Route, route } from '../../shared/contract/route.ts';
import { tenantScoped } from '../../shared/http/middleware/tenant-scoped.ts';
import { RequestBudget } from '../../shared/http/request-budget.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { stageOrganization } from '../../shared/table/system/organizations.ts';
import { aCaller } from '../support/caller.ts';
import { aSession, type ChainEvent, refusal, routedEvent, through } from '../support/chain.ts';
import { freshTable } from '../support/dynamodb.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

const working = { summary: 'x', permission: 'things:write', response: noContent('Done.') } as const;
const creating = route('POST', '/things', working);

/** Organizations that exist. */
const ACME = randomUUID();
const OTHER = randomUUID();
const platform = aCaller('');

let table: Table;
beforeAll(async () => {
  table = tableAt(await freshTable());
  for (const orgId of [ACME, OTHER]) {
    const organization = openTenant(table, orgId);
    organization.session.origin = {
      actor: { type: 'operator' },
      operation: 'test',
      requestId: null,
      sourceAddress: null,
    };
    const fields = { name: 'Acme', slug: `org-${orgId.slice(0, 8)}`, settings: {} };
    await doIn(organization, (tenant) => stageOrganization(tenant, fields, () => new Error('it is there')));
  }
});

interface Naming {
  readonly query?: string;
  /** In the checked body. */
  readonly body?: string;
  /** In the body as it was sent. */
  readonly sent?: unknown;
}

function asked({ query, body, sent = body }: Naming, given: Partial<ChainEvent>, to: Route = creating): ChainEvent {
  const session = aSession(undefined, table);
  return routedEvent(to, {
    session,
    budget: new RequestBudget(session),
    json: { value: sent === undefined ? {} : { org_id: sent }, isExact: true },
    input: { params: {}, query: query ? { org_id: query } : {}, body: body ? { org_id: body } : {} },
    ...given,
  });
}

async function scopeOf(event: ChainEvent) {
  await through([tenantScoped()], event);
  return event.scope;
}

async function tenantOf(...[naming, given]: [Naming, Partial<ChainEvent>]): Promise<string> {
  const scope = await scopeOf(asked(naming, given));
  if (!('tenant' in scope)) throw new Error('there is no tenant');
  return scope.tenant.id;
}

async function refused(...[naming, given]: [Naming, Partial<ChainEvent>]): Promise<unknown[]> {
  const { type, errors } = await refusal([tenantScoped()], asked(naming, given));
  return [type, ...errors.map((error) => `${error.in} ${error.pointer}`)];
}

describe('the tenant of a caller of an organization', () => {
  const given = { caller: aCaller(ACME) };

  it.each<[name: string, naming: Naming]>([
    ['names none', {}],
    ['names it in the query', { query: ACME }],
    ['names it in the body', { body: ACME }],
    ['names it in both', { query: ACME, body: ACME }],
    // Read-only fields mean nothing, and a body that is no use to it is no reason to refuse the request.
    ['sends a field back that it cannot set', { sent: OTHER }],
  ])('is its own where it %s', async (_, naming) => {
    expect(await tenantOf(naming, given)).toBe(ACME);
  });

  it('is nobody else’s', async () => {
    expect(await refused({ query: OTHER }, given)).toEqual(['forbidden', 'query #/org_id']);
    expect(await refused({ body: OTHER }, given)).toEqual(['forbidden', 'body #/org_id']);
    expect(await refused({ query: ACME, body: OTHER }, given)).toEqual(['forbidden', 'body #/org_id']);
    expect(await refused({ query: randomUUID() }, given)).toEqual(['forbidden', 'query #/org_id']);
  });
});

describe('the tenant of a platform caller', () => {
  const given = { caller: platform };

  it.each<[tenant: string, name: string, naming: Naming]>([
    ['PLATFORM', 'where it names none', {}],
    [ACME, 'that it names in the query', { query: ACME }],
    [ACME, 'that it names in the body', { body: ACME }],
    [ACME, 'that it names in both', { query: ACME, body: ACME }],
    [ACME, 'of a record that it sends back', { sent: ACME.toUpperCase() }],
    ['PLATFORM', 'where what it sends back names none', { sent: 'ORG' }],
  ])('is %s: the one %s', async (tenant, _, naming) => {
    expect(await tenantOf(naming, given)).toBe(tenant);
  });

  it('is one that exists, and only one', async () => {
    expect(await refused({ query: randomUUID() }, given)).toEqual(['not-found', 'query #/org_id']);
    expect(await refused({ body: randomUUID() }, given)).toEqual(['invalid-body', 'body #/org_id']);
    expect(await refused({ query: ACME, body: OTHER }, given)).toEqual(['invalid-body', 'body #/org_id']);
  });
});

describe('a route that finds its tenant itself', () => {
  const open = { summary: 'x', response: noContent('Done.') } as const;

  it.each([
    ['without a token', route('POST', '/login', { ...open, auth: 'none' }), undefined],
    ['with a signature', route('POST', '/webhooks', { ...open, auth: 'signature' }), undefined],
    ['whose caller left the token out', route('POST', '/keys', { ...working, auth: 'bearer-optional' }), undefined],
    ['whose caller did not', route('POST', '/keys', { ...working, auth: 'bearer-optional' }), aCaller(ACME)],
  ])('%s gets the request and what charges it', async (_, to, caller) => {
    const event = asked({}, { caller }, to);
    const { charge, ...scope } = { charge: undefined, ...(await scopeOf(event)) };
    expect(scope).toEqual({ session: event.session, caller, request: event.request });
    charge?.(aCaller(ACME, { integration_id: randomUUID() }));
    expect(event.budget.headers).toHaveProperty('RateLimit');
  });
});

describe('a record that the route is about', () => {
  const things = entity<{ id: string; name: string }>('THING', {});
  let id: string;
  beforeAll(async () => {
    const created = await doIn(openTenant(table, ACME), (tenant) => tenant.records(things).create({ name: 'a' }));
    id = created.record.id;
  });

  const get = async (method: Method, wanted: string, ifMatch?: string) => {
    const to = route(method, '/things', working);
    const headers = ifMatch === undefined ? {} : { 'If-Match': [ifMatch] };
    const scope = await scopeOf(
      asked({}, { caller: aCaller(ACME), readOnlyFields: {}, multiValueHeaders: headers }, to),
    );
    if (!('tenant' in scope)) throw new Error('there is no tenant');
    return scope.getOrThrow(scope.tenant.records(things), wanted);
  };

  it('is read', async () => {
    expect(await get('GET', id)).toMatchObject({ record: { id, name: 'a' }, version: 1 });
  });

  it('is a 404 where it is not there', async () => {
    await expect(get('GET', randomUUID())).rejects.toMatchObject({ type: 'not-found' });
  });

  it.each<Method>(['PATCH', 'DELETE'])('is the version that a %s names', async (method) => {
    expect(await get(method, id, '"1.x"')).toMatchObject({ version: 1 });
    await expect(get(method, id, '"2.x"')).rejects.toMatchObject({ type: 'precondition-failed' });
  });

  it.each<Method>(['GET', 'POST'])('has no version to name in a %s', async (method) => {
    expect(await get(method, id, '"2.x"')).toMatchObject({ version: 1 });
  });
});
