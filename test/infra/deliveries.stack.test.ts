import { expect, it } from 'vitest';
import * as z from 'zod';
import { KEYS } from './access.ts';
import { BROUGHT, resourcesOf, stageOf, synthesize } from './synthesize.ts';

/**
 * What wakes deliveries. Who may do what for them: `isolation.stack.test.ts`; their properties:
 * `properties.stack.test.ts`.
 */

const mappingSchema = z.object({
  EventSourceArn: z.string(),
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }).optional(),
});
const mappingsOf = (context: Readonly<Record<string, string>> = {}) =>
  Array.from(stageOf(synthesize({ context })).resources, ([id, { Type, Properties }]) =>
    Type === 'AWS::Lambda::EventSourceMapping' ? [{ id, ...mappingSchema.parse(Properties) }] : [],
  ).flat();
const wakeUpIn = (context?: Readonly<Record<string, string>>) =>
  mappingsOf(context).find(({ id }) => id.startsWith('DeliveriesWakeUp'));

const patternSchema = z.strictObject({
  eventName: z.array(z.string()),
  dynamodb: z.strictObject({
    Keys: z.strictObject({ PK: z.strictObject({ S: z.array(z.strictObject({ suffix: z.string() })) }) }),
  }),
});

it('the stream calls the wake-up for insertions into journals, and for no other change', () => {
  const [filter, ...others] = wakeUpIn()?.FilterCriteria?.Filters ?? [];
  expect(others).toEqual([]);
  const { eventName, dynamodb } = patternSchema.parse(JSON.parse(filter?.Pattern ?? ''));
  expect(eventName).toEqual(['INSERT']);
  // Deduplication of events of a webhook, the list of such events, and the audit log have similar keys.
  const similar = ['ONCE#EVENT#x', 'WEBHOOK_EVENT', 'AUDIT_EVENT', 'EVENT#SET'].map((name) => `ORG#PLATFORM#${name}`);
  const journals = [...KEYS, ...similar].filter((key) => dynamodb.Keys.PK.S.some(({ suffix }) => key.endsWith(suffix)));
  expect(journals.length).toBeGreaterThan(0);
  for (const key of journals) expect(key).toMatch(/^ORG#[^#]+#EVENT$/);
});

it('a restored table has no stream until a setting names it, and the schedule wakes in any case', () => {
  const { restoredTable, restoredTableStreamArn } = BROUGHT;
  expect(wakeUpIn({ restoredTable })).toBeUndefined();
  expect(mappingsOf({ restoredTable })).toHaveLength(1);
  expect(wakeUpIn({ restoredTable, restoredTableStreamArn })?.EventSourceArn).toBe(restoredTableStreamArn);
  for (const context of [{}, { restoredTable }])
    expect(resourcesOf(synthesize({ context }).application, 'AWS::Events::Rule')).toHaveLength(2);
});

it('a message stays hidden for six times as long as its call may take, outlives its repetitions, and may follow itself', () => {
  const resources = [...stageOf(synthesize()).resources.values()];
  const ofQueue = resources.find(({ Properties }) => Properties.QueueName === 'custodia-dev-deliveries');
  const worker = resources.find(({ Properties }) => Properties.FunctionName === 'custodia-dev-deliveries');
  const numbers = z.object({ VisibilityTimeout: z.number(), MessageRetentionPeriod: z.number() });
  const { VisibilityTimeout, MessageRetentionPeriod } = numbers.parse(ofQueue?.Properties);
  expect(VisibilityTimeout).toBe(6 * Number(worker?.Properties.Timeout));
  expect(MessageRetentionPeriod).toBeGreaterThan(900 + 5 * VisibilityTimeout);
  expect(worker?.Properties.RecursiveLoop).toBe('Allow');
});
