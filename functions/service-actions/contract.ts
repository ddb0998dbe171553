import { contract, created, ok, pageOf, type RecordOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import * as sentence from '#contract/sentence';

export const serviceAction = record('ServiceAction', () => ({
  id: readOnly(field.uuid().describe(sentence.ID)),
  service_id: field.reference('Service').describe('The service that it was done to.'),
  action_type: field.word().describe('What was done: `restart`, `deploy`, or any other lowercase word.'),
  status: field
    .word()
    .default('completed')
    .describe(sentence.words('How far it has come: `completed`, `pending`, `failed` …')),
  created_at: readOnly(field.timestamp().describe(sentence.CREATED_AT)),
  parameters: field
    .jsonObject()
    .default({})
    .describe(sentence.freeForm('With what it was done, for the systems that read the log.')),
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

export const serviceActions = contract({
  name: 'service-actions',
  tag: 'Service actions',
  description: 'The log of what was done to services. Nothing here carries an action out.',
  routes: {
    listServiceActions: route('GET', '/api/v1/service-actions', {
      summary: 'List service actions',
      permission: 'service-actions:read',
      query: () => ({
        ...parameter.page(),
        service_id: parameter.anyOf(field.reference('Service'), 'Only records of the service with this id.'),
        status: parameter.anyOf(field.word(), 'Only records with this status, such as `active`.'),
      }),
      response: pageOf(serviceAction, 'A page of service actions.', example),
    }),
    createServiceAction: route('POST', '/api/v1/service-actions', {
      event: { type: 'service_action.created' },
      summary: 'Record a service action',
      description: 'An action is recorded as `completed` unless `status` says otherwise.',
      permission: 'service-actions:write',
      body: serviceAction.create,
      bodyExample: { service_id: example.service_id, action_type: 'restart', parameters: example.parameters },
      response: created(serviceAction, 'The recorded action.', example),
    }),
    getServiceAction: route('GET', '/api/v1/service-actions/{id}', {
      summary: 'Read a service action',
      permission: 'service-actions:read',
      params: () => ({ id: field.reference('ServiceAction') }),
      response: ok(serviceAction, 'The service action.', example),
      errors: ['not-found'],
    }),
  },
});
