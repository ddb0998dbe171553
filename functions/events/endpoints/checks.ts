import { invalidField, pointer } from '#contract/problem';
import { requireKnownTypes } from '../refusals.ts';
import type { WebhookEndpoint } from './contract.ts';
import { environmentTargets, refusalOf } from './target.ts';

/**
 * Checks what the schemas of bodies cannot: that there are such events, and that the address may be called.
 * @throws Problem `invalid-body`
 */
export function checkFields({ event_types, url }: Partial<Pick<WebhookEndpoint, 'event_types' | 'url'>>): void {
  requireKnownTypes(event_types ?? [], (index) => ({ in: 'body', pointer: pointer(['event_types', index]) }));
  const refusal = url === undefined ? undefined : refusalOf(url, environmentTargets());
  if (refusal !== undefined) throw invalidField('url', refusal);
}
