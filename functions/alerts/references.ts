import { listErrors } from '@custodia/counted-lists';
import * as field from '#contract/field';
import type { Entity, Stored, Tenant } from '#table';
import { isObject } from '../../shared/well-formed.ts';
import { clientEntity } from '../clients/store.ts';
import { integrationEntity } from '../integrations/store.ts';
import { resourceEntity } from '../resources/store.ts';
import { serviceEntity } from '../services/store.ts';
import type { Alert } from './alert.ts';

/** What an alert is about, by its labels. A label that names no record, or one of another client, is left out. */

/** What labels say, each under its own name unless the integration's `metadata` gives another. */
const KNOWN = [
  'client_id',
  'client_slug',
  'service_id',
  'resource_id',
  'external_id',
  'contact_id',
  'severity',
] as const;
type Known = (typeof KNOWN)[number];

/** `metadata.alerts` of an integration, as far as it is understood. */
export interface Mapping {
  readonly labels: Readonly<Record<Known, string>>;
  /** Who asks for help where no label says it. */
  readonly contactId: string;
  /** Priorities by severity. */
  readonly priorities: Readonly<Record<string, unknown>>;
}

/** The mapping of an integration, which it may lack. */
export async function mappingOf(tenant: Tenant, integrationId: string): Promise<Mapping> {
  const { metadata } = (await tenant.records(integrationEntity).get(integrationId))?.record ?? {};
  const alerts = membersOf(membersOf(metadata).alerts);
  const labels = membersOf(alerts.labels);
  return {
    labels: Object.fromEntries(KNOWN.map((name) => [name, textOr(labels[name], name)])) as Mapping['labels'],
    contactId: field.uuid().safeParse(alerts.contact_id).data ?? integrationId,
    priorities: { ...PRIORITIES, ...membersOf(alerts.priorities) },
  };
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
const textOr = (value: unknown, standard: string): string => (typeof value === 'string' ? value : standard);

/** Severities of Prometheus, Grafana, Zabbix, Datadog and Uptime Kuma. */
const PRIORITIES: Mapping['priorities'] = {
  ...{ critical: 'urgent', disaster: 'urgent', emergency: 'urgent', page: 'urgent' },
  ...{ high: 'high', error: 'high', major: 'high' },
  ...{ average: 'normal', warning: 'normal', moderate: 'normal' },
  ...{ low: 'low', minor: 'low', info: 'low', information: 'low', none: 'low' },
};

/** The fields of a ticket that follow from an alert's labels. */
export async function fieldsOf(tenant: Tenant, { labels }: Alert, mapping: Mapping) {
  const label = (name: Known): string => labels.get(mapping.labels[name]) ?? '';
  const { priorities, contactId } = mapping;
  const severity = label('severity').toLowerCase();
  const priority = Object.hasOwn(priorities, severity) ? priorities[severity] : undefined;
  return {
    ...(await recordsOf(tenant, label)),
    contact_id: idIn(label('contact_id')) ?? contactId,
    priority: field.word().safeParse(priority).data ?? 'normal',
  };
}

async function recordsOf(tenant: Tenant, label: (name: Known) => string) {
  const external = field.identifier(500, 1).safeParse(label('external_id')).data;
  const [client, resource, service] = await Promise.all([
    clientIn(tenant, label('client_id'), label('client_slug')),
    found(tenant, resourceEntity, idIn(label('resource_id')), external && onlyOf(tenant, external)),
    found(tenant, serviceEntity, idIn(label('service_id')), external && claimOf(tenant, external)),
  ]);
  const clientId = client ?? resource?.record.client_id ?? service?.record.client_id ?? null;
  const ofClient = [resource, service].map((each) =>
    each?.record.client_id === clientId ? each?.record.id : undefined,
  );
  const [resource_id = null, service_id = null] = ofClient;
  return { client_id: clientId, service_id, resource_id };
}

/** What is left of what a ticket was to name. */
export const stillThere = (tenant: Tenant, named: Readonly<Partial<Record<Known, string | null>>>) =>
  recordsOf(tenant, (name) => named[name] ?? '');

const idIn = (text: string): string | undefined => field.uuid().safeParse(text).data;

async function clientIn(tenant: Tenant, id: string, slug: string): Promise<string | undefined> {
  const clients = tenant.records(clientEntity);
  const named = field.slug().safeParse(slug).data;
  const wanted = idIn(id) ?? (named && (await clients.idOf('slug', named)));
  return wanted && (await clients.get(wanted))?.record.id;
}

/** The record with an id, or with the one that is found by what another system calls it. */
async function found<T extends object>(
  tenant: Tenant,
  entity: Entity<T>,
  id: string | undefined,
  other: Promise<string | undefined> | '' | undefined,
): Promise<Stored<T> | undefined> {
  const wanted = id ?? (other && (await other));
  return wanted ? tenant.records(entity).get(wanted) : undefined;
}

const claimOf = (tenant: Tenant, external: string): Promise<string | undefined> =>
  tenant.records(serviceEntity).idOf('external_id', external);

/** Several resources may have one `external_id`: then it names none. */
async function onlyOf(tenant: Tenant, external: string): Promise<string | undefined> {
  try {
    const [only, ...others] = await tenant.records(resourceEntity).idsWith('external_id', external);
    return others.length === 0 ? only : undefined;
  } catch (error) {
    if (error instanceof listErrors.ListNotBuilt) return undefined;
    throw error;
  }
}
