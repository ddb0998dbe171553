import { listErrors } from '@custodia/counted-lists';
import type { Stored, Tenant } from '#table';
import { readSuspension } from '#tenancy';
import { WrongCursor } from '../functions/events/cursor.ts';
import { readProgress, showEndpoint } from '../functions/events/endpoints/progress.ts';
import type { DeliveryAttempt, WebhookEndpoint } from '../functions/events/endpoints/records.ts';
import { stageReplayFrom, startOf } from '../functions/events/endpoints/replay.ts';
import { attemptsOf, endpointEntity, type StoredEndpoint } from '../functions/events/store.ts';
import { asOperator } from './as-operator.ts';
import { OperatorProblem } from './problem.ts';
import { openTenant, requireExisting } from './tenant-option.ts';

/** Webhook endpoints, as the operator looks for what is not delivered, and has it delivered again. */

/**
 * All endpoints of a tenant, the oldest first, with how far they are.
 * @throws OperatorProblem when there is no such organization
 */
export async function endpointsOf(org: string): Promise<readonly WebhookEndpoint[]> {
  const tenant = await openTenant(org);
  const records: StoredEndpoint[] = [];
  for await (const { record } of tenant.records(endpointEntity).all()) records.push(record);
  const progress = await readProgress(
    tenant,
    records.map(({ id }) => id),
  );
  return records.map((record) => showEndpoint(record, progress.get(record.id)));
}

/** Most failed deliveries that are shown. */
const SHOWN = 100;

export interface ListedAttempts {
  /** The newest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** The number of those that are kept. */
  readonly total: number;
}

/**
 * The last failed deliveries of an endpoint.
 * @throws OperatorProblem when there is no such organization or endpoint
 */
export async function lastAttemptsOf(org: string, endpointId: string): Promise<ListedAttempts> {
  const tenant = await openTenant(org);
  await endpointIn(tenant, endpointId);
  const page = { page: 1, page_size: SHOWN } as const;
  const { records, total } = await attemptsOf(tenant, endpointId).page(page);
  return { attempts: records.map(({ record }) => record), total };
}

export interface Replayed extends Pick<WebhookEndpoint, 'status'> {
  /** Whether the organization is: then nothing is delivered until it is resumed. */
  readonly suspended: boolean;
}

/**
 * Has an endpoint go on from a cursor, from the `oldest` event that is kept, or from the `latest`. What it may deliver
 * is as a key last confirmed it.
 * @throws OperatorProblem when there is no such organization or endpoint, or the cursor is wrong or has expired
 */
export const replayTo = (org: string, endpointId: string, from: string): Promise<Replayed> =>
  asOperator('replayWebhookEndpoint', org, async (tenant) => {
    await requireExisting(tenant);
    const [before, start, suspension] = await Promise.all([
      endpointIn(tenant, endpointId),
      startIn(tenant, from),
      readSuspension(tenant, true),
    ]);
    const { record } = await stageReplayFrom(tenant, before, start);
    return { status: record.status, suspended: suspension !== undefined };
  });

async function endpointIn(tenant: Tenant, id: string): Promise<Stored<StoredEndpoint>> {
  const stored = await tenant.records(endpointEntity).get(id);
  if (stored !== undefined) return stored;
  throw new OperatorProblem(
    `${tenant.id} has no webhook endpoint ${id}: custodia webhooks endpoints list shows those that it has.`,
  );
}

const startIn = (tenant: Tenant, from: string): ReturnType<typeof startOf> =>
  startOf(tenant, from).catch((error: unknown) => {
    if (error instanceof WrongCursor)
      throw new OperatorProblem('--from must be a cursor of this organization, "oldest" or "latest".');
    if (error instanceof listErrors.FeedExpired)
      throw new OperatorProblem(
        'The cursor has expired: not all events after it are kept, or records were restored since. --from oldest ' +
          'begins with the first event that is kept.',
      );
    throw error;
  });
