import { invalidField, Problem } from '#contract';
import type { Operations } from '#http';
import { mayDo } from '#identity';
import { StaleRead, type Stored } from '#table';
import { shown, withMaintenance } from '../clients/maintenance.ts';
import { serviceCredentials, serviceEntity } from '../services/store.ts';
import type { resources } from './contract.ts';
import { MOST_MOVED } from './limits.ts';
import { resourceCredentials, resourceEntity } from './store.ts';

/**
 * Moves resources and services to another client (`docs/decisions/0021-services-and-resources.md`). A service takes its
 * resources along, in one transaction: so a resource and its service are of one client at any time.
 */

type Moves = Pick<Operations<typeof resources>, 'moveResource' | 'moveService'>;

export const moves: Moves = {
  moveResource: async ({ params, body, tenant, caller, getOrThrow }) => {
    const records = tenant.records(resourceEntity);
    const show = withMaintenance(tenant);
    const stored = await getOrThrow(records, params.id);
    const { client_id, service_id } = stored.record;
    if (client_id !== body.client_id && service_id !== null)
      throw invalidField(
        'client_id',
        'must stay: move the service of the resource, or set its service_id to null first',
      );
    const after =
      client_id === body.client_id
        ? stored
        : await records.update(stored, { ...body, updated_at: tenant.session.timestamp }, { verb: 'moved' });
    return shown(await resourceCredentials.decryptIn({ tenant, caller }, after), show);
  },

  moveService: async ({ params, body, tenant, caller, getOrThrow }) => {
    const services = tenant.records(serviceEntity);
    const show = withMaintenance(tenant);
    const stored = await getOrThrow(services, params.id);
    const moved = async (service: typeof stored) =>
      shown(await serviceCredentials.decryptIn({ tenant, caller }, service), show);
    if (stored.record.client_id === body.client_id) return moved(stored);
    const { resource_count } = stored.record;
    if (resource_count > 0 && !mayDo(caller, 'resources:write'))
      throw new Problem('forbidden', {
        detail: 'Moving a service with resources needs the permission resources:write.',
      });
    if (resource_count > MOST_MOVED) throw tooMany();
    const records = tenant.records(resourceEntity);
    const where = [{ field: 'service_id', anyOf: [params.id] }];
    const { records: all } = await records.cursorPage({ limit: MOST_MOVED + 1, after: undefined, where });
    // Who creates, moves or deletes a resource of the service at the same time changes the count.
    if (all.length !== resource_count) throw changed();
    services.require(params.id, changed, { resource_count });
    if (bytesOf([stored, ...all]) > MOST_BYTES) throw tooMany();
    const changes = { ...body, updated_at: tenant.session.timestamp };
    const [after] = await Promise.all([
      services.update(stored, changes, { verb: 'moved' }),
      ...all.map((resource) => records.update(resource, changes, { verb: 'moved' })),
    ]);
    return moved(after);
  },
};

/** Bytes that a transaction may have: DynamoDB takes 4 MB, with what else is changed. */
const MOST_BYTES = 3 * 1_048_576;
const bytesOf = (all: readonly Stored<object>[]): number =>
  all.reduce((sum, { item }) => sum + Buffer.byteLength(JSON.stringify(item)), 0);

const changed = (): StaleRead => new StaleRead('the resources of the service have changed');

const tooMany = (): Problem =>
  invalidField(
    'client_id',
    `must stay: a service is moved with ${MOST_MOVED} resources at most, of 3 MB. Set the service_id of others to ` +
      'null, move each, and set it again',
  );
