import { command } from '../command.ts';
import { replayEvent } from '../replay.ts';
import { idOption, openTenant } from '../tenant-option.ts';

/** `webhooks replay` works under the stack's replay role, in an STS session for the one tenant. */
export const declareWebhooksReplay = command<{ readonly event: string; readonly again?: true }>({
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
        idOption('--event', 'a webhook event'),
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
});
