import type { Credentials } from '#tenancy';
import type { Api, OrgAccess } from './api.ts';
import { storedCredentials } from './credentials.ts';
import type { Scenario } from './scenario.ts';

/** The effect of a scenario's request, read through the API, for every operation. */
export interface Effect {
  /** The effect raises it by exactly one. */
  readonly count: number;
  /** Audit events in the caller's own audit log. */
  readonly events: number;
  /** Entity tag of the record that is to be changed or deleted. */
  readonly tag: string | undefined;
}

type Access = Pick<OrgAccess, 'token'>;

/** The list of a created record, if not the path that it was posted to. */
const SHOWN_AT: Readonly<Record<string, (scenario: Scenario) => string>> = {
  createMembership: ({ body }) => `/api/v1/users/${body?.user_id}/memberships`,
  ingestLog: () => '/api/v1/logs',
  runBatch: () => '/api/v1/clients',
  completeAttachment: ({ path }) => path.split('/').slice(0, -2).join('/'),
  receiveWebhook: () => '/api/v1/webhook-events',
};

/** Reads the effect of a scenario. */
export async function lookAt(api: Api, { token }: Access, scenario: Scenario): Promise<Effect> {
  const access = { token: scenario.token ?? token };
  const { body } = await api.request<{ total: number }>('GET', '/api/v1/audit-events', access);
  return { ...(await lookAtRecord(api, access, scenario)), events: body.total };
}

type Seen = Omit<Effect, 'events'>;

function lookAtRecord(api: Api, access: Access, scenario: Scenario): Promise<Seen> {
  if (scenario.operationId === 'rotateSecret') return rotations(api, access, scenario.path);
  if (scenario.operationId === 'revokeTokens') return endOfTokens(api, access, scenario.path);
  if (scenario.operationId === 'endTrashed') return endOfTrashed(api, access, scenario.path);
  if (scenario.operationId === 'createAttachment') return announcements(api, access);
  const onEndpoint = ON_ENDPOINT[scenario.operationId];
  if (onEndpoint !== undefined) return onEndpoint(api, access, scenario.path.slice(0, scenario.path.lastIndexOf('/')));
  const { method, response, params } = scenario.route;
  if (method === 'POST' && response.status === 200 && Object.keys(params.shape).length > 0)
    return versions(api, access, scenario);
  return /^(POST|PUT)$/.test(scenario.route.method) ? creations(api, access, scenario) : change(api, access, scenario);
}

/** Operations on the record above their path. To replay or ping it twice makes no difference here. */
const ON_ENDPOINT: Readonly<Record<string, (api: Api, access: Access, path: string) => Promise<Seen>>> = {
  rotateWebhookEndpointSecret: async (api, access, path) => {
    const { headers } = await api.request('GET', path, access);
    return { count: Number.parseInt((headers.get('etag') ?? '').slice(1), 10), tag: undefined };
  },
  replayWebhookEndpoint: async (api, access, path) => {
    const { body } = await api.request('GET', path, access);
    return { count: body.replayed_at === null ? 0 : 1, tag: undefined };
  },
  verifyWebhookEndpoint: async (api, access, path) => {
    const { body } = await api.request('GET', path, access);
    return { count: body.status === 'active' ? 1 : 0, tag: undefined };
  },
  unlinkIdentity: async (api, access, path) => {
    const { body } = await api.request<{ data: readonly unknown[] }>('GET', path, access);
    return { count: 10 - body.data.length, tag: undefined };
  },
  pingWebhookEndpoint: changesAudited,
  revokeUserTokens: changesAudited,
};

/** Whether there is another audit event of a record than that of its creation. */
async function changesAudited(api: Api, access: Access, path: string): Promise<Seen> {
  const id = path.split('/').at(-1);
  const { body } = await api.request<{ total: number }>('GET', `/api/v1/audit-events?record_id=${id}`, access);
  return { count: Math.min(body.total - 1, 1), tag: undefined };
}

/** Whether a ticket is in the trash no more. */
async function endOfTrashed(api: Api, access: Access, path: string): Promise<Seen> {
  const { body } = await api.request<{ data: { id: string }[] }>('GET', '/api/v1/trash?kind=tickets', access);
  return { count: Number(body.data.every(({ id }) => !path.includes(id))), tag: undefined };
}

/** Announced attachments are in no list: the bytes of all, each of five as in the example, tell how many there are. */
async function announcements(api: Api, { token }: Access): Promise<Seen> {
  const { body } = await api.request<{ attachments: { bytes: number } }>('GET', '/api/v1/usage', { token });
  return { count: body.attachments.bytes / 5, tag: undefined };
}

async function creations(api: Api, { token }: Access, scenario: Scenario): Promise<Seen> {
  const path = SHOWN_AT[scenario.operationId]?.(scenario) ?? scenario.path.replace(/\?.*/, '');
  const { status, body } = await api.request<{ total?: number; data?: unknown[] }>('GET', path, { token });
  const count = body.total ?? body.data?.length;
  if (count === undefined) throw new Error(`GET ${path} answered ${status}: where does ${scenario.operationId} show?`);
  return { count, tag: undefined };
}

/** The version of the record above the path, such as of one that is moved. */
async function versions(api: Api, { token }: Access, { path }: Scenario): Promise<Seen> {
  const { status, headers } = await api.request('GET', path.replace(/\/[a-z]+$/, ''), { token });
  // One that is to be restored is not there before.
  const count = path.endsWith('/restore')
    ? Number(status === 200)
    : Number.parseInt((headers.get('etag') ?? '').slice(1), 10);
  return { count, tag: undefined };
}

async function change(api: Api, { token }: Access, { route, path, body }: Scenario): Promise<Seen> {
  const { status, headers, body: record } = await api.request('GET', path, { token });
  const tag = headers.get('etag') ?? undefined;
  if (route.method === 'DELETE') return { count: status === 404 || record.removed_at ? 1 : 0, tag };
  const hasChanged = Object.entries(body ?? {}).every(
    ([field, value]) => JSON.stringify(record[field]) === JSON.stringify(value),
  );
  return { count: hasChanged ? 1 : 0, tag };
}

const firstSecrets = new Map<string, string | undefined>();

/** Counts rotations by the secret that the integration had at the first read; a second rotation ends that one. */
async function rotations(api: Api, { token }: Access, path: string): Promise<Seen> {
  const { secrets = [] } = await credentialsAt(api, { token }, path);
  const hashes = secrets.map(({ hash }) => hash);
  if (!firstSecrets.has(path)) firstSecrets.set(path, hashes[0]);
  return { count: hashes.indexOf(firstSecrets.get(path) ?? ''), tag: undefined };
}

/** Whether tokens were ended; for an older token, ending them twice makes no difference. */
async function endOfTokens(api: Api, access: Access, path: string): Promise<Seen> {
  const { token_epoch = 0 } = await credentialsAt(api, access, path);
  return { count: Math.min(token_epoch, 1), tag: undefined };
}

/** The stored credentials of the integration whose path this one begins with. */
async function credentialsAt(api: Api, { token }: Access, path: string): Promise<Partial<Credentials>> {
  const { body } = await api.request('GET', path.replace(/\/[a-z-]+$/, ''), { token });
  return (await storedCredentials(String(body.app_code))) ?? {};
}
