import { Problem } from '#contract/problem';
import { Tenant } from '#table';
import { domains } from '../functions/webhooks/domains.ts';
import type { Applied } from '../functions/webhooks/effects.ts';
import { effectsOf } from '../functions/webhooks/effects.ts';
import { type NotApplied, replay } from '../functions/webhooks/replay.ts';
import { asOperator } from './as-operator.ts';

/** Applies a stored webhook event of a tenant. With `again`, also an event that was applied before. */
export const replayEvent = (tenant: string, event: string, again: boolean): Promise<Applied | NotApplied> =>
  asOperator(
    'replayWebhookEvent',
    (session) => Tenant.ofOperator(tenant, session),
    (opened) => replay(opened, event, effectsOf(domains), again),
  ).catch((error: unknown) => {
    if (error instanceof Problem) return { reason: sentenceOf(error) };
    throw error;
  });

/** The response that the sender would have got. */
const sentenceOf = ({ message, errors }: Problem): string =>
  [message, ...errors.map(({ pointer, detail }) => `${pointer} ${detail}`)].join('; ');
