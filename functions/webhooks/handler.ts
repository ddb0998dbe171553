import { pipeline } from '#http';
import { webhooks } from './contract.ts';
import { domains } from './domains.ts';
import { effectsOf } from './effects.ts';
import { webhookOperations } from './operations.ts';

export const handler = pipeline(webhooks, webhookOperations(effectsOf(domains)));
