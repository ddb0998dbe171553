import { contract, createOnly, crud, type RecordOf, readOnly, record } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

const target = (what: 'Client' | 'Service' | 'Resource', covered: string) =>
  createOnly(field.reference(what).nullable().default(null).describe(`${covered} null for none.`));

export const maintenanceWindow = record('MaintenanceWindow', () => ({
  id: readOnly(field.uuid()),
  client_id: target('Client', 'Covers the services and resources of this client, also those to come;'),
  service_id: target('Service', 'Covers this service and its resources;'),
  resource_id: target('Resource', 'Covers this resource;'),
  from: field.timestamp().describe('When the maintenance begins.'),
  to: field.timestamp().describe('When it ends: later than `from`.'),
  note: field.text(1_000).nullable().default(null).describe('What is going to be done, for people.'),
  created_at: readOnly(field.timestamp()),
  updated_at: readOnly(field.timestamp()),
})).describe(
  'A time in which services and resources are `under_maintenance`; all of the organization where it names none.',
);
export type MaintenanceWindow = RecordOf<typeof maintenanceWindow>;

const example = {
  id: '2b847609-9518-4a46-ab68-a9dfe295d7f4',
  client_id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  service_id: null,
  resource_id: null,
  from: '2026-12-01T22:00:00.000Z',
  to: '2026-12-02T02:00:00.000Z',
  note: 'New disks',
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
};

const usual = crud(maintenanceWindow, {
  path: '/api/v1/maintenance-windows',
  one: 'a maintenance window',
  many: 'maintenance windows',
  example,
});

export const maintenanceWindows = contract({
  name: 'maintenance-windows',
  tag: 'Maintenance windows',
  description: 'When services and resources are being worked on.',
  routes: {
    listMaintenanceWindows: usual.list({ extension: true, query: parameter.page }),
    createMaintenanceWindow: usual.create({
      extension: true,
      description: 'An organization has at most 100 windows that have not ended; another one is a 409.',
      bodyExample: { client_id: example.client_id, from: example.from, to: example.to, note: example.note },
      errors: ['conflict'],
    }),
    getMaintenanceWindow: usual.read({ extension: true }),
    updateMaintenanceWindow: usual.update({
      extension: true,
      description: 'To end one now, set `to`.',
      bodyExample: { to: '2026-12-02T04:00:00.000Z' },
    }),
    deleteMaintenanceWindow: usual.remove({ extension: true }),
  },
});
