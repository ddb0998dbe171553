import { contract, created, crud, type RecordOf, readOnly, record } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

export const serviceAction = record('ServiceAction', () => ({
  id: readOnly(field.uuid()),
  service_id: field.reference('Service').describe('The service that it was done to.'),
  action_type: field.word().describe('What was done: `restart`, `deploy`, or any other lowercase word.'),
  status: field
    .word()
    .default('completed')
    .describe('How far it has come: `completed`, `pending`, `failed` … Or another word.'),
  created_at: readOnly(field.timestamp()),
  parameters: field.freeForm('With what it was done, for the systems that read the log.').default({}),
})).describe('An entry of the log of what was done to services.');
export type ServiceAction = RecordOf<typeof serviceAction>;

const example = {
  id: '1a1d416e-34c7-4f5a-92d7-4c6e8b0a1d3f',
  service_id: '0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80',
  action_type: 'restart',
  status: 'completed',
  created_at: '2026-11-20T09:30:00.000Z',
  parameters: { graceful: true },
};

const usual = crud(serviceAction, {
  path: '/api/v1/service-actions',
  one: 'a service action',
  many: 'service actions',
  example,
});

export const serviceActions = contract({
  name: 'service-actions',
  tag: 'Service actions',
  description: 'The log of what was done to services. Nothing here carries an action out.',
  routes: {
    listServiceActions: usual.list({
      query: () => ({
        ...parameter.page(),
        service_id: parameter.anyOf(field.reference('Service'), 'Only records of the service with this id.'),
        status: parameter.anyOf(field.word(), 'Only records with this status, such as `active`.'),
      }),
    }),
    createServiceAction: usual.create({
      summary: 'Record a service action',
      description: 'An action is recorded as `completed` unless `status` says otherwise.',
      bodyExample: { service_id: example.service_id, action_type: 'restart', parameters: example.parameters },
      response: created(serviceAction, 'The recorded action.', example),
    }),
    getServiceAction: usual.read(),
  },
});
