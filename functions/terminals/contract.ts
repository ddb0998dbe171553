import { contract, createOnly, crud, ok, type RecordOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { moving } from '../clients/moving.ts';
import { externalId, withExternalId } from '../clients/words.ts';

export const terminal = record('Terminal', () => ({
  id: readOnly(field.uuid()),
  client_id: createOnly(field.reference('Client').describe('The client at which the device stands.')),
  external_id: externalId(),
  name: field.name(200).describe('What people call the device.'),
  location: field.text(500).default('').describe('Where at the client it stands.'),
  status: field
    .word()
    .default('active')
    .describe('`active` or `inactive`: whether the device is in use. Or another word.'),
  created_at: readOnly(field.timestamp()),
})).describe('A device that stands at a client.');
export type Terminal = RecordOf<typeof terminal>;

const example = {
  id: '7df59570-303b-4c2e-8f6a-1d2b3c4e5f60',
  client_id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  external_id: 'SN-4711',
  name: 'Front desk',
  location: 'Lisbon, ground floor',
  status: 'active',
  created_at: '2026-11-20T09:30:00.000Z',
};

const usual = crud(terminal, { path: '/api/v1/terminals', one: 'a terminal', many: 'terminals', example });

export const terminals = contract({
  name: 'terminals',
  tag: 'Terminals',
  description: 'Devices that stand at a client.',
  routes: {
    listTerminals: usual.list({
      clientScope: true,
      query: () => ({
        ...parameter.page(),
        status: parameter.anyOf(field.word(), 'Only records with this status, such as `active`.'),
        client_id: parameter.anyOf(field.reference('Client'), 'Only records of the client with this id.'),
        external_id: withExternalId('terminal'),
        q: parameter.words('name or the location', 'desk lis'),
      }),
    }),
    createTerminal: usual.create({
      clientScope: true,
      bodyExample: { client_id: example.client_id, name: example.name, location: example.location },
    }),
    upsertTerminal: usual.upsert({ bodyExample: { client_id: example.client_id, name: example.name } }),
    getTerminal: usual.read({ clientScope: true }),
    listTerminalChanges: usual.changes(),
    updateTerminal: usual.update({ clientScope: true, bodyExample: { status: 'inactive' } }),
    moveTerminal: route('POST', '/api/v1/terminals/{id}/move', {
      ...moving,
      summary: 'Move a terminal to another client',
      permission: 'terminals:write',
      params: usual.params,
      response: ok(terminal, 'The terminal after the move.', example),
    }),
  },
});
