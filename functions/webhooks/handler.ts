import { pipeline } from '../../shared/http/pipeline.ts';
import { webhooks } from './contract.ts';
import { domains } from './domains.ts';
import { effectsOf } from './effects.ts';
import { webhookOperations } from './operations.ts';

export const handler = pipeline(webhooks, webhookOperations(effectsOf(domains)));
