import { v7 as uuid } from 'uuid';
import type { Client, ClientAction } from '../../../functions/clients/contract.ts';
import type { LogEntry } from '../../../functions/logs/contract.ts';
import type { Resource } from '../../../functions/resources/contract.ts';
import { REQUESTED_PAGE_SIZE } from '../operations.ts';
import type { NewClient, NewLogEntry, PatchedClient } from './schemas.ts';

/**
 * The peers' storage, of usual design: a partition for each kind of record of an organization, ids that sort by time
 * (UUID version 7), an index for the status, a counter for each list's total, and an item for each unique slug. Writes
 * that belong together are one transaction.
 */
export interface Store {
  readonly getClient: (org: string, id: string) => Promise<FoundItem<Client> | undefined>;
  /** The first page, oldest first, with the exact total. */
  readonly listClients: (org: string, status: string | undefined) => Promise<ListPage<FoundItem<Client>>>;
  /** Creates a record, claims its slug, logs the action and counts its lists' totals. */
  readonly createClient: (caller: PeerCaller, body: NewClient) => Promise<FoundItem<Client>>;
  /** Only if nobody else has changed it since it was read; its action is logged, and the totals of statuses counted. */
  readonly patchClient: (caller: PeerCaller, id: string, body: PatchedClient) => Promise<FoundItem<Client> | undefined>;
  readonly listResources: (org: string) => Promise<ListPage<FoundItem<Resource>>>;
  readonly createResource: (org: string, body: NewResource) => Promise<FoundItem<Resource>>;
  /** Without a total: entries expire. */
  readonly ingestLog: (org: string, body: NewLogEntry) => Promise<LogEntry>;
}

export interface PeerCaller {
  readonly org: string;
  readonly integrationId: string;
}

export interface ListPage<T> {
  readonly data: readonly T[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
}

export const firstPage = <T>(data: readonly T[], total: number): ListPage<T> => ({
  data,
  page: 1,
  page_size: REQUESTED_PAGE_SIZE,
  total,
});

/** A client as stored: with its version, for optimistic locking. */
export type ClientItem = Client & { readonly version: number };
export type NewResource = Omit<Resource, 'id' | 'created_at' | 'updated_at' | 'last_health_check'>;

export const newClientItem = (org: string, body: NewClient): ClientItem => ({
  ...body,
  id: uuid(),
  org_id: org,
  created_at: new Date().toISOString(),
  total_resources: 0,
  services_count: 0,
  last_contact: null,
  has_risks: false,
  version: 1,
});

/** An item as a library returns it, which may leave out nulls. */
export type FoundItem<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The fields of the response, and no other attribute. */
export const shownClient = (item: FoundItem<ClientItem>): FoundItem<Client> => ({
  id: item.id,
  org_id: item.org_id,
  name: item.name,
  slug: item.slug ?? null,
  timezone: item.timezone,
  status: item.status,
  metadata: item.metadata ?? null,
  created_at: item.created_at ?? null,
  email: item.email ?? null,
  phone: item.phone ?? null,
  plan: item.plan ?? null,
  total_resources: item.total_resources ?? null,
  services_count: item.services_count,
  last_contact: item.last_contact ?? null,
  has_risks: item.has_risks,
});

/** Leaves out the fields that are null, for libraries whose attributes cannot be null. */
export const withoutNulls = <T extends object>(item: T): { [K in keyof T]: Exclude<T[K], null> } =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) as never;

export const newAction = (
  { integrationId }: PeerCaller,
  client_id: string,
  type: string,
  details: Record<string, unknown>,
): ClientAction => ({
  id: uuid(),
  type,
  client_id,
  performed_by: integrationId,
  performed_at: new Date().toISOString(),
  details,
  result: 'success',
});

/** A patch without fields that are `undefined`. */
export const given = (body: PatchedClient) =>
  body as { [K in keyof PatchedClient]?: Exclude<PatchedClient[K], undefined> };

/** The fields that a patch changes, for the log of actions. */
export const changesIn = (before: FoundItem<Client>, body: PatchedClient): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).map(([field, to]) => [field, { from: before[field as keyof Client], to }]));

export const newResourceItem = (body: NewResource): Resource => {
  const now = new Date().toISOString();
  return { ...body, id: uuid(), last_health_check: now, created_at: now, updated_at: now };
};

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a default for each of many fields, and nothing nested
export const shownResource = (item: FoundItem<Resource>): FoundItem<Resource> => ({
  id: item.id,
  client_id: item.client_id,
  service_id: item.service_id ?? null,
  name: item.name,
  type: item.type,
  description: item.description ?? null,
  provider: item.provider,
  external_id: item.external_id ?? null,
  location: item.location ?? null,
  ip_address: item.ip_address ?? null,
  status: item.status,
  specifications: item.specifications ?? null,
  credentials: item.credentials ?? null,
  limits: item.limits ?? null,
  metadata: item.metadata ?? null,
  tags: item.tags ?? null,
  health_status: item.health_status,
  last_health_check: item.last_health_check ?? null,
  cpu_usage: item.cpu_usage ?? null,
  memory_usage: item.memory_usage ?? null,
  storage_usage: item.storage_usage ?? null,
  usage_alerts_enabled: item.usage_alerts_enabled,
  alert_threshold: item.alert_threshold,
  monthly_cost: item.monthly_cost,
  billing_cycle: item.billing_cycle,
  provisioned_at: item.provisioned_at ?? null,
  created_at: item.created_at ?? null,
  updated_at: item.updated_at ?? null,
});

const RETENTION_SECONDS = 30 * 86_400;

export const newLogEntryItem = (body: NewLogEntry): LogEntry & { readonly ttl: number } => {
  const now = new Date();
  return { ...body, id: uuid(), ts: now.toISOString(), ttl: Math.floor(now.getTime() / 1000) + RETENTION_SECONDS };
};
