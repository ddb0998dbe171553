import * as z from 'zod';
import type { Account } from './account-calls.ts';
import { Warning } from './findings.ts';

/**
 * CloudTrail records who disables a key or schedules its deletion, and sends it to EventBridge, whose rules raise the
 * alarm. Without a trail that logs, neither happens
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event-cloudtrail.html).
 */

const trailsSchema = z.object({ trailList: z.array(z.object({ TrailARN: z.string(), Name: z.string() })) });
const statusSchema = z.object({ IsLogging: z.boolean() });

/** https://docs.aws.amazon.com/awscloudtrail/latest/APIReference/API_GetEventSelectors.html */
const selectorsSchema = z.object({
  EventSelectors: z
    .array(
      z.object({
        ReadWriteType: z.string().default('All'),
        IncludeManagementEvents: z.boolean().default(true),
        ExcludeManagementEventSources: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  AdvancedEventSelectors: z
    .array(
      z.object({
        FieldSelectors: z.array(
          z.object({
            Field: z.string(),
            Equals: z.array(z.string()).optional(),
            NotEquals: z.array(z.string()).optional(),
          }),
        ),
      }),
    )
    .default([]),
});
type Selectors = z.infer<typeof selectorsSchema>;
type Fields = Selectors['AdvancedEventSelectors'][number]['FieldSelectors'];

const KMS = 'kms.amazonaws.com';

/** Checks for a trail that records operations on keys. @throws Warning */
export async function lookAtTrail({ cloudTrail }: Account): Promise<string> {
  const { trailList } = await cloudTrail('DescribeTrails', {}, trailsSchema);
  for (const { TrailARN, Name } of trailList) {
    const { IsLogging } = await cloudTrail('GetTrailStatus', { Name: TrailARN }, statusSchema);
    if (!IsLogging) continue;
    const selectors = await cloudTrail('GetEventSelectors', { TrailName: TrailARN }, selectorsSchema);
    if (seesKeys(selectors)) return `${Name} records what is done to keys`;
  }
  const found =
    trailList.length === 0
      ? 'There is no trail'
      : `No trail records management events of KMS (${trailList.map(({ Name }) => Name).join(', ')})`;
  throw new Warning(
    `${found}: nobody learns when a key is disabled or is to be deleted. The first trail of management events ` +
      'costs only its storage: aws cloudtrail create-trail',
  );
}

const seesKeys = ({ EventSelectors, AdvancedEventSelectors }: Selectors): boolean =>
  EventSelectors.some(
    ({ ReadWriteType, IncludeManagementEvents, ExcludeManagementEventSources }) =>
      IncludeManagementEvents && ReadWriteType !== 'ReadOnly' && !ExcludeManagementEventSources.includes(KMS),
  ) || AdvancedEventSelectors.some(({ FieldSelectors }) => takesKeys(FieldSelectors));

/** Whether an advanced selector includes writes to KMS. */
const takesKeys = (fields: Fields): boolean =>
  fields.some(({ Field, Equals }) => Field === 'eventCategory' && Equals?.includes('Management')) &&
  fields.every(({ Field, Equals, NotEquals }) => {
    if (Field === 'readOnly') return !Equals?.includes('true');
    if (Field === 'eventSource') return !NotEquals?.includes(KMS) && (Equals === undefined || Equals.includes(KMS));
    return true;
  });
