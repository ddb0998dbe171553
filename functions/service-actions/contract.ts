import * as z from 'zod';
import {
  body,
  contract,
  created,
  createOnly,
  crud,
  declared,
  ok,
  type PermissionCode,
  type RecordOf,
  readOnly,
  record,
  route,
} from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { actionExample, runExample } from './examples.ts';

/** The permission that is needed, besides the route's, for actions that a runner is to carry out. */
export const REQUEST: PermissionCode = 'service-actions:request';
const RUN: PermissionCode = 'service-actions:run';

/** How often an action is given to a runner. */
export const MOST_ATTEMPTS = 3;

/** Most bytes of a log. */
const MOST_LOG = 65_536;

const LEASE = 'q0Hk7sZr2v9LxT4mWc1eYb8uNf5aGd3J';

const log = () =>
  field
    .text(MOST_LOG)
    .refine((text) => Buffer.byteLength(text) <= MOST_LOG, { error: `must have at most ${MOST_LOG} bytes in UTF-8` })
    .meta({ examples: ['Restarted in 12 s.'] });
const progress = () => field.whole(0, 100).meta({ examples: [40] });
const result = () => field.freeForm('What came of it, for programs.').meta({ examples: [{ seconds: 12 }] });

export const serviceAction = record('ServiceAction', () => ({
  id: readOnly(field.uuid()),
  service_id: field.reference('Service').describe('The service that it was done to, or is to be done to.'),
  action_type: field.word().describe('What was done: `restart`, `deploy`, or any other lowercase word.'),
  status: field
    .word()
    .default('completed')
    .describe(
      'How far it has come: `completed`, `pending`, `failed` … Or another word. With `run` the service sets it: ' +
        '`pending`, `running`, `completed`, `failed` or `cancelled`.',
    ),
  created_at: readOnly(field.timestamp()),
  parameters: field.freeForm('With what it was done, for the systems that read the log.').default({}),
  run: createOnly(
    field
      .flag()
      .default(false)
      .describe('Extends the specification: whether a runner is to carry it out, and it is no entry of the log alone.'),
  ),
  scheduled_for: createOnly(
    field
      .timestamp()
      .nullable()
      .default(null)
      .describe('Extends the specification: with `run`, when it may begin; null for at once.'),
  ),
  attempts: readOnly(
    field
      .whole(0, MOST_ATTEMPTS)
      .default(0)
      .describe(`Extends the specification: how often it was given to a runner, ${MOST_ATTEMPTS} times at most.`),
  ),
  leased_until: readOnly(
    field
      .timestamp()
      .nullable()
      .describe('Extends the specification: until when its runner has it; then the next one gets it.'),
  ),
  progress: readOnly(
    progress().nullable().describe('Extends the specification: how much is done, in percent, as its runner says.'),
  ),
  result: readOnly(result().nullable().describe('Extends the specification: what came of it, as its runner says.')),
  log: readOnly(
    log().nullable().describe('Extends the specification: what its runner wrote, of up to 64 KB in UTF-8.'),
  ),
  finished_at: readOnly(
    field
      .timestamp()
      .nullable()
      .describe('Extends the specification: when it was completed, failed or cancelled, if a runner was to do it.'),
  ),
})).describe('An entry of the log of what was done to services, or something that a runner is to do.');
export type ServiceAction = RecordOf<typeof serviceAction>;

const usual = crud(serviceAction, {
  path: '/api/v1/service-actions',
  one: 'a service action',
  many: 'service actions',
  example: actionExample,
});

const lease = () =>
  field.name(100).describe('What the claim has returned: only who quotes it says how the action goes on.');
const leaseSeconds = () =>
  field.whole(5, 3_600).default(60).describe('For how many seconds from now the runner has it, unless it asks again.');

const claim = body('ServiceActionClaim', () => ({
  types: field.list(field.word(), 10, 1).describe('The types of actions that the runner carries out.'),
  lease_seconds: leaseSeconds(),
})).describe('What a runner can do, and for how long it takes an action.');

const heartbeat = body('ServiceActionHeartbeat', () => ({
  lease: lease(),
  lease_seconds: leaseSeconds(),
  progress: progress().optional().describe('How much is done, in percent.'),
})).describe('That a runner is still at work.');

const finish = body('ServiceActionFinish', () => ({
  lease: lease(),
  status: z.enum(['completed', 'failed']).describe('Whether it was done.'),
  progress: progress().optional().describe('How much is done, in percent: 100 of a completed one unless given.'),
  result: result().nullable().default(null),
  log: log().nullable().default(null).describe('What there is to read about it, of up to 64 KB in UTF-8.'),
})).describe('How an action ended.');

const claimed = declared(() =>
  z
    .strictObject({
      actions: z.array(serviceAction.schema).max(1).describe('The action, or none where there is nothing to do.'),
      lease: z
        .string()
        .max(100)
        .nullable()
        .describe(
          'To be quoted when the action goes on; null where there is none. Shown only here: who loses it waits for ' +
            'the lease to end.',
        )
        .meta({ examples: [LEASE] }),
    })
    .describe('An action for one runner.')
    .meta({ id: 'ClaimedServiceAction' }),
);

export const serviceActions = contract({
  name: 'service-actions',
  tag: 'Service actions',
  description:
    'The log of what was done to services, and what your own runners are to do to them. The service itself carries ' +
    'nothing out.',
  routes: {
    listServiceActions: usual.list({
      query: () => ({
        ...parameter.page(),
        service_id: parameter.anyOf(field.reference('Service'), 'Only records of the service with this id.'),
        status: parameter.anyOf(field.word(), 'Only records with this status, such as `active`.'),
      }),
    }),
    createServiceAction: usual.create({
      summary: 'Record a service action, or ask for one',
      description:
        'An action is recorded as `completed` unless `status` says otherwise. With `run` it is `pending`, for a ' +
        `runner to claim: this needs the permission \`${REQUEST}\`, and no webhook can.`,
      bodyExample: {
        service_id: actionExample.service_id,
        action_type: 'restart',
        parameters: actionExample.parameters,
      },
      response: created(serviceAction, 'The recorded action.', actionExample),
    }),
    getServiceAction: usual.read(),
    claimServiceAction: route('POST', '/api/v1/service-actions/claim', {
      summary: 'Claim an action to carry out',
      description:
        'Gives the action that has been due for the longest time to one runner, until the lease ends. An action ' +
        `whose lease has ended is given to the next one, ${MOST_ATTEMPTS} times in all, and has failed after that. A ` +
        'claim that meets too many others returns nothing: ask again after a random while.',
      extension: true,
      permission: RUN,
      body: claim,
      bodyExample: { types: ['restart'], lease_seconds: 60 },
      response: ok(claimed, 'The action with its lease, if there is one.', { actions: [runExample], lease: LEASE }),
    }),
    extendServiceAction: route('POST', '/api/v1/service-actions/{id}/heartbeat', {
      summary: 'Stay at work on an action',
      description: 'Extends the lease. A 409 says that the runner has lost it, or that the action was cancelled.',
      extension: true,
      permission: RUN,
      params: usual.params,
      body: heartbeat,
      bodyExample: { lease: LEASE, lease_seconds: 60, progress: 40 },
      response: ok(serviceAction, 'The action.', { ...runExample, progress: 40 }),
      errors: ['not-found', 'conflict'],
    }),
    finishServiceAction: route('POST', '/api/v1/service-actions/{id}/finish', {
      summary: 'Finish an action',
      description: 'A second request with the same lease and status changes nothing. A 409 as for a heartbeat.',
      extension: true,
      permission: RUN,
      params: usual.params,
      body: finish,
      bodyExample: { lease: LEASE, status: 'completed', result: { seconds: 12 } },
      response: ok(serviceAction, 'The finished action.', {
        ...{ ...runExample, status: 'completed', progress: 100, result: { seconds: 12 }, leased_until: null },
        finished_at: '2026-11-20T09:31:00.000Z',
      }),
      errors: ['not-found', 'conflict'],
    }),
    cancelServiceAction: route('POST', '/api/v1/service-actions/{id}/cancel', {
      summary: 'Cancel an action',
      description: 'The runner of a running one learns of it by its next request, which is a 409.',
      extension: true,
      permission: REQUEST,
      params: usual.params,
      response: ok(serviceAction, 'The cancelled action.', {
        ...{ ...runExample, status: 'cancelled', leased_until: null },
        finished_at: '2026-11-20T09:31:00.000Z',
      }),
      errors: ['not-found', 'conflict'],
    }),
  },
});
