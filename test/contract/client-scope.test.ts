import { describe, expect, it } from 'vitest';
import type { Entity } from '#table';
import { contracts } from '../../functions/all-contracts.ts';
import { declaredEntities } from '../../functions/all-entities.ts';
import { metadataOf } from '../../shared/http/route-metadata.ts';

/** What is declared of people of single clients (`docs/security.md`). */

const open = contracts.flatMap(({ routes, hiddenFromClients = [] }) =>
  Object.entries(routes).flatMap(([id, route]) =>
    route.clientScope ? [{ id, route, hidden: hiddenFromClients }] : [],
  ),
);
const entities = await declaredEntities();

/** Names of fields that show what an organization keeps for itself. */
const OF_THE_ORGANIZATION = ['admin_url', 'deployment_config', 'metadata', 'custom_fields'];

it('these routes are open to them, and no others', () => {
  expect(open.map(({ id }) => id).toSorted()).toEqual([
    ...['createResource', 'createService', 'createTerminal', 'createTicket', 'createTicketMessage'],
    ...['getClient', 'getResource', 'getService', 'getServiceOfClient', 'getTerminal', 'getTicket', 'getTicketMessage'],
    ...['listClients', 'listResources', 'listServices', 'listTerminals', 'listTicketMessages', 'listTickets'],
    ...['updateClient', 'updateResource', 'updateService', 'updateTerminal', 'updateTicket'],
  ]);
});

describe('an open route', () => {
  it.each(open.map((each) => [each.id, each] as const))('%s hides what is of the organization', (_, each) => {
    const { response } = metadataOf(each.route);
    const shown = Object.keys((response?.fields?.data?.element ?? response)?.fields ?? {});
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((name) => OF_THE_ORGANIZATION.includes(name) && !each.hidden.includes(name))).toEqual([]);
  });

  it('has permissions of fields that no request for single clients has (`narrowedToClients`)', () => {
    const codes = contracts.flatMap(({ fieldPermissions = {} }) => Object.values(fieldPermissions));
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.filter((code) => !code.endsWith(':credentials'))).toEqual([]);
  });
});

describe('an entity', () => {
  const withClient = entities.filter(({ record }) => record?.fieldOf('client_id') !== undefined);

  it.each(withClient.map((each) => [each.name, each] as const))('%s with a client says so, or is closed', (_, each) => {
    const { ofClient, parent } = each;
    if (parent === undefined) expect(['client_id', undefined]).toContain(ofClient);
    else expect([parent.ofClient, ofClient]).toEqual([expect.stringMatching(/^(id|client_id)$/), undefined]);
  });

  it('is in their requests where a route is open, or where none shows it', () => {
    const names = (wanted: (each: Entity) => boolean) => entities.filter(wanted).map(({ name }) => name);
    const OPEN = ['CLIENT', 'RESOURCE', 'SERVICE', 'TERMINAL', 'TICKET'];
    expect(names(({ ofClient }) => typeof ofClient === 'string').toSorted()).toEqual(OPEN);
    expect(names(({ ofClient }) => ofClient === null).toSorted()).toEqual(['AUDIT_EVENT', 'EVENT']);
  });

  it.each(contracts.filter(({ hiddenFromClients }) => hiddenFromClients).map((each) => [each.name, each] as const))(
    'of %s is found by the words of no hidden field, nor in its order',
    (name, { hiddenFromClients = [] }) => {
      const found = entities.find(({ record }) => `${record?.name.toLowerCase()}s` === name);
      expect(hiddenFromClients.filter((field) => found?.record?.fieldOf(field) === undefined)).toEqual([]);
      const fields = found?.indexes.flatMap((index) => index.fields) ?? [];
      expect(fields.length).toBeGreaterThan(3);
      expect(fields.filter((field) => hiddenFromClients.includes(field))).toEqual([]);
    },
  );
});
