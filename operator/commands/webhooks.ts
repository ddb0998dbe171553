import type { Command } from 'commander';
import * as z from 'zod';
import type { DeliveryAttempt, WebhookEndpoint } from '../../functions/events/endpoints/records.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { command, type Declare } from '../command.ts';
import { OperatorProblem } from '../problem.ts';
import { replayEvent } from '../replay.ts';
import { openTenant, type TenantOptions } from '../tenant-option.ts';
import { endpointsOf, lastAttemptsOf, replayTo } from '../webhook-endpoints.ts';

/** Stored webhook events and webhook endpoints of a tenant, each in an STS session for the one tenant. */

interface EndpointOptions extends TenantOptions {
  readonly endpoint: string;
}

const ofEndpoint = (declared: Command): Command =>
  declared.requiredOption('--endpoint <id>', 'id of the endpoint', idOf('--endpoint', 'a webhook endpoint'));

/** Parses an option that names a record. */
const idOf =
  (option: string, what: string) =>
  (text: string): string => {
    const id = z.guid().toLowerCase().safeParse(text).data;
    if (id === undefined) throw new OperatorProblem(`${option} must be the id of ${what}.`);
    return id;
  };

const role = 'MaintenanceRoleArn';

export const webhookCommands: readonly Declare[] = [
  command<TenantOptions & { readonly event: string; readonly again?: true }>({
    name: 'webhooks replay',
    description:
      'Apply a stored webhook event as if it were delivered now: one that had no effect when it came, or one that ' +
      'was applied, once more',
    role: 'ReplayRoleArn',
    secrets: true,
    opens: 'tenant',
    options: (declared) =>
      declared
        .requiredOption(
          '--event <id>',
          'id of the event in the list of webhook events',
          idOf('--event', 'a webhook event'),
        )
        .option('--again', 'also where it was applied before'),
    examples: ['webhooks replay --org acme --event 1a1d416e-34c7-49c8-a670-144b743765a0 --outputs outputs.json'],
    run: async ({ event, again = false }, id) => {
      await openTenant(id);
      const outcome = await replayEvent(id, event, again);
      if ('reason' in outcome) {
        const { reason } = outcome;
        return { value: { event, applied: false, reason }, lines: [`Not applied. ${reason}`], isNegative: true };
      }
      const { operation, recordId } = outcome;
      return {
        value: { event, applied: true, operation, record_id: recordId },
        lines: [`Applied by ${operation} to ${recordId}.`],
      };
    },
  }),
  command({
    name: 'webhooks endpoints list',
    description:
      'List the webhook endpoints of an organization, the oldest first: their status, how many events wait, and ' +
      'since when calls fail',
    role,
    opens: 'tenant',
    isDefault: true,
    examples: ['webhooks endpoints list --org acme --outputs outputs.json'],
    run: async (_, id) => {
      const listed = await endpointsOf(id);
      return { value: listed, lines: [...listed.map(endpointLine), `Webhook endpoints: ${listed.length}.`] };
    },
  }),
  command<EndpointOptions>({
    name: 'webhooks endpoints attempts',
    description:
      'List the last 100 failed deliveries of a webhook endpoint, the newest first; they are kept for 7 days',
    role,
    opens: 'tenant',
    options: ofEndpoint,
    examples: [
      'webhooks endpoints attempts --org acme --endpoint c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e --outputs outputs.json',
    ],
    run: async ({ endpoint }, id) => {
      const listed = await lastAttemptsOf(id, endpoint);
      const summary = `Failed deliveries: ${listed.attempts.length} of ${listed.total}.`;
      return { value: listed, lines: [...listed.attempts.map(attemptLine), summary] };
    },
  }),
  command<EndpointOptions & { readonly from: string }>({
    name: 'webhooks endpoints replay',
    description:
      'Have a webhook endpoint go on from another place, back or forward; one that had expired becomes active, ' +
      'with the permissions that a key last confirmed',
    role,
    opens: 'tenant',
    options: (declared) =>
      ofEndpoint(declared).requiredOption(
        '--from <cursor>',
        'cursor of the feed or of delivered_through, "oldest" for all events that are kept, or "latest" for none ' +
          'of them',
      ),
    examples: ['oldest', 'AQyq5P8tHkc7mAAAAAAAAJ4rXo2Qv1Zb'].map(
      (from) =>
        `webhooks endpoints replay --org acme --endpoint c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e --from ${from} ` +
        '--outputs outputs.json',
    ),
    run: async ({ endpoint, from }, id) => {
      const { status, suspended } = await replayTo(id, endpoint, from);
      const waitsFor = [
        ...(status === 'active' ? [] : [`it is ${status}`]),
        ...(suspended ? ['its organization is suspended'] : []),
      ];
      const line =
        waitsFor.length === 0
          ? `${endpoint} goes on from there.`
          : `${endpoint} goes on from there, but not yet: ${waitsFor.join(', and ')}.`;
      return { value: { id: endpoint, status, suspended, from }, lines: [line] };
    },
  }),
];

const endpointLine = ({ id, status, status_reason, backlog, failing_since, app_code, url }: WebhookEndpoint): string =>
  [
    (status_reason === null ? status : `${status} (${status_reason})`).padEnd(8),
    `backlog ${backlog ?? 'unknown'}`,
    failing_since === null ? 'no failure' : `failing since ${failing_since}`,
    id,
    app_code,
    quoted(url),
  ].join('  ');

const attemptLine = (attempt: DeliveryAttempt): string => {
  const { attempted_at, status_code, error, events, first_event_id, duration_ms, skipped } = attempt;
  return [
    attempted_at,
    String(status_code ?? error).padEnd(17),
    `${duration_ms} ms`.padStart(9),
    `${events} ${events === 1 ? 'event' : 'events'} from ${first_event_id}`,
    ...(skipped ? ['skipped'] : []),
  ].join('  ');
};
