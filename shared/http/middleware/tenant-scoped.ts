import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Route } from '#contract';
import { changesNamedRecord, takesHeader } from '#contract/derived';
import type { Repository, Stored, Tenant } from '#table';
import { annotate } from '#telemetry';
import type { OperationContext } from '../operation.ts';
import { noRecord } from '../problems.ts';
import type { Carrier } from '../request/http-request.ts';
import { preferenceOf } from '../request/preferences.ts';
import { checkReadOnlyFields, readOnlyFieldsIn } from '../request/read-only-fields.ts';
import { namedOrganization, tenantOf } from '../request/tenant.ts';
import { checkIfMatch, checkIfNoneMatch } from '../response/entity-tags.ts';
import type { Authenticated } from './authenticated.ts';
import type { InSession } from './in-session.ts';
import type { WithJson } from './json-body.ts';
import type { WithLines } from './ndjson-body.ts';
import type { Budgeted } from './request-budget.ts';
import type { Routed } from './routed.ts';
import type { Validated } from './validated.ts';

export interface TenantScoped {
  /** What an operation gets besides its input. */
  scope: OperationContext;
}

type Event = APIGatewayProxyEvent &
  Routed &
  InSession &
  Authenticated &
  Budgeted &
  WithLines &
  WithJson &
  Validated &
  TenantScoped;

/**
 * Finds the tenant of a `bearer` route. Operations of other routes find it themselves.
 * @throws Problem `forbidden`, `not-found`, `reference-not-found` or `invalid-body`
 */
export function tenantScoped(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    before: async ({ event, context }) => {
      const { matched, request, session, caller, budget, json, input } = event;
      if (caller === undefined || matched.route.auth !== 'bearer') {
        const charge = budget.charge.bind(budget);
        event.scope = { session, caller, charge, request };
        return;
      }
      const named = caller.orgId === null ? namedOrganization(json?.value) : input.body;
      const tenant = await tenantOf(caller, session, input.query, named);
      annotate({ tenant: tenant.id });
      const requireBudget = () => {
        session.contention.giveUpEarly();
        budget.require();
      };
      const readLimits = () => budget.readLimits();
      const scope = { session, caller, tenant, getOrThrow: getterFor(event, tenant), requireBudget, readLimits };
      event.scope = matched.route.carries === undefined ? scope : { ...scope, carrier: carrierOf(event, context) };
    },
  };
}

const carrierOf = (event: Event, context: Context): Carrier => ({
  event,
  context,
  isNdjson: event.lineNumbers !== undefined,
  wantsRecords: preferenceOf(event.request, 'return') === 'representation',
});

/** A platform caller easily forgets to name the organization, and then looks among the platform's own records. */
const hintFor = ({ query }: Route, { orgId }: Tenant): string =>
  orgId === null && 'org_id' in query.shape ? ' A platform caller names the organization with ?org_id=.' : '';

type Received = Pick<Event, 'matched' | 'request' | 'session' | 'json' | 'isLenient' | 'readOnlyFields'>;

/** What a request says of fields that an existing record keeps. An upsert can set more of them than a change, for a new record. */
function keptFieldsOf({ matched: { route }, json, isLenient, readOnlyFields }: Received) {
  const { method, body, upsert } = route;
  if (upsert === undefined) return { method, body, sent: method === 'PATCH' ? readOnlyFields : {} };
  const sent = json === undefined || isLenient ? {} : readOnlyFieldsIn(upsert.patch, json.value);
  return { method: 'PATCH', body: upsert.patch, sent } as const;
}

const getterFor = (received: Received, tenant: Tenant) => {
  const { request, matched, session } = received;
  const { route } = matched;
  const kept = keptFieldsOf(received);
  return async <T extends object>(
    records: Repository<T>,
    id: string,
    show: (record: T) => object | Promise<object> = (record) => record,
  ): Promise<Stored<T>> => {
    const stored = await records.get(id);
    if (stored === undefined) throw noRecord(records.entity, hintFor(route, tenant));
    if (changesNamedRecord(route)) session.contention.name({ key: records.keyOf(id), id });
    if (takesHeader(route, 'If-Match')) {
      checkIfMatch(request, stored.version);
      checkIfNoneMatch(request, stored.version);
    }
    if (Object.keys(kept.sent).length > 0) checkReadOnlyFields(kept, kept.sent, await show(stored.record));
    return stored;
  };
};
