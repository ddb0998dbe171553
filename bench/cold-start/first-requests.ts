import { decodeJwt } from 'jose';
import { contracts } from '../../functions/all-contracts.ts';
import { AUTHORIZER } from '../../infra/rights.ts';
import type { Contract, Route } from '../../shared/contract/index.ts';
import type { OrgAccess } from '../../test/support/api.ts';
import { authorizerContext } from '../../test/support/caller.ts';
import { proxyEventOf } from '../../test/support/proxy-event.ts';
import { PLATFORM_ONLY, type Scenario, TestTenant } from '../../test/support/scenario.ts';

/** The first request to each function, and its expected response. */
interface FirstRequest {
  /** `GET /api/v1/clients/{id}` */
  readonly title: string;
  readonly event: unknown;
  readonly status: number | undefined;
}

/** The main operation, else the operation that reads a record, else the first that reads. */
function operationOf({ name, routes, mainOperation }: Contract): string {
  const reading = Object.entries<Route>(routes).filter(([, { method }]) => method === 'GET');
  const [operationId] = reading.find(([, { path }]) => path.endsWith('}')) ?? reading[0] ?? [];
  const chosen = mainOperation ?? operationId;
  if (chosen === undefined) throw new Error(`${name} has no operation to begin with`);
  return chosen;
}

/** Creates the records that these requests need; returns the requests by function. */
export async function firstRequests(
  api: ConstructorParameters<typeof TestTenant>[0],
  org: OrgAccess,
): Promise<ReadonlyMap<string, FirstRequest>> {
  const testTenant = new TestTenant(api, org);
  const requests = new Map<string, FirstRequest>([[AUTHORIZER, authorizing(org)]]);
  for (const contract of contracts) {
    const scenario = await testTenant.scenario(operationOf(contract));
    requests.set(contract.name, {
      title: `${scenario.route.method} ${scenario.route.path}`,
      event: eventOf(scenario, org),
      status: scenario.route.response.status,
    });
  }
  return requests;
}

function eventOf({ operationId, route, path, body, headers, token }: Scenario, org: OrgAccess) {
  const orgId = PLATFORM_ONLY.has(operationId) ? '' : org.orgId;
  const { integrationId: integration_id, appCode: app_code } = org;
  // A batch checks the caller.
  const secret_id = String(decodeJwt(org.token).secret_id);
  return proxyEventOf({
    route,
    path,
    headers: { ...headers, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
    body,
    caller: token === undefined ? undefined : authorizerContext(orgId, { integration_id, app_code, secret_id }),
  });
}

function authorizing({ token }: OrgAccess): FirstRequest {
  const [route] = Object.values(contracts.find(({ name }) => name === 'clients')?.routes ?? {});
  if (route === undefined) throw new Error('there is no route to authorize');
  const proxied = proxyEventOf({ route, path: route.path, headers: { Authorization: `Bearer ${token}` } });
  const methodArn = `arn:aws:execute-api:eu-west-1:111122223333:a1b2c3d4e5/prod/GET${route.path}`;
  return { title: 'a token', event: { ...proxied, type: 'REQUEST', methodArn }, status: undefined };
}
