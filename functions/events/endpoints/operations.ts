import { type Operations, respond } from '#http';
import { stageRegistration } from '../state/register.ts';
import { stageStateEnd } from '../state/state.ts';
import { attemptsOf, endpointEntity } from '../store.ts';
import { showEvent } from '../visible.ts';
import { confirm } from './authority.ts';
import {
  changeEndpoint,
  createEndpoint,
  pingEndpoint,
  rotateSecret,
  stageChange,
  stageEndpointCount,
} from './changes.ts';
import type { webhookEndpoints } from './contract.ts';
import {
  afterOwnEvent,
  progressAt,
  progressOf,
  progressOfChanged,
  readProgress,
  showEndpoint,
  showEndpointTo,
} from './progress.ts';
import { checkCode, VERIFIED } from './proof.ts';
import { replayEndpoint } from './replay.ts';

/** A response with a secret has no entity tag: it would include the secret, and match no later response. */
const NOT_STORED = { headers: { 'Cache-Control': 'no-store' } } as const;

export const webhookEndpointOperations: Operations<typeof webhookEndpoints> = {
  listWebhookEndpoints: async ({ query, tenant, caller }) => {
    const found = await tenant.records(endpointEntity).page(query);
    const progress = await readProgress(
      tenant,
      found.records.map(({ record }) => record.id),
    );
    const records = found.records.map(({ record }) => ({
      record: showEndpointTo(caller, record, progress.get(record.id)),
    }));
    return respond.page({ ...found, records }, query);
  },

  createWebhookEndpoint: async ({ body, tenant, caller }) => {
    const { stored, start, secret } = await createEndpoint(tenant, caller, body);
    return { body: { ...showEndpoint(stored.record, await progressAt(tenant, start)), secret }, ...NOT_STORED };
  },

  getWebhookEndpoint: async ({ params, tenant, caller, getOrThrow }) => {
    const [endpoint, progress] = await Promise.all([
      getOrThrow(tenant.records(endpointEntity), params.id),
      progressOf(tenant, params.id),
    ]);
    return respond.record(endpoint, (record) => showEndpointTo(caller, record, progress));
  },

  updateWebhookEndpoint: async ({ params, body, tenant, caller, getOrThrow }) => {
    const reading = progressOfChanged(tenant, params.id);
    const [before, { present, afresh }] = await Promise.all([
      getOrThrow(tenant.records(endpointEntity), params.id, async (record) =>
        showEndpoint(record, (await reading).present),
      ),
      reading,
    ]);
    const { after, isFreshStart } = await changeEndpoint(tenant, caller, before, body);
    const progress = isFreshStart ? afresh : present;
    return respond.record(after, (record) =>
      showEndpoint(record, after === before ? progress : afterOwnEvent(progress)),
    );
  },

  deleteWebhookEndpoint: async ({ params, tenant, caller, getOrThrow }) => {
    const records = tenant.records(endpointEntity);
    const attempts = attemptsOf(tenant, params.id);
    const [endpoint, keys] = await Promise.all([getOrThrow(records, params.id), attempts.keys()]);
    await confirm(tenant, caller, endpoint.record, false);
    await records.remove(endpoint, { along: attempts.deleteAll(keys) });
    stageStateEnd(tenant, params.id);
    stageEndpointCount(tenant, caller, -1);
    return respond.empty;
  },

  rotateWebhookEndpointSecret: async ({ params, body, tenant, caller, getOrThrow }) => {
    const [before, progress] = await Promise.all([
      getOrThrow(tenant.records(endpointEntity), params.id),
      progressOf(tenant, params.id),
    ]);
    const { stored, secret, previousExpiresAt } = await rotateSecret(tenant, caller, before, body.previous_valid_for);
    return {
      body: { ...showEndpoint(stored.record, afterOwnEvent(progress)), secret, previous_expires_at: previousExpiresAt },
      ...NOT_STORED,
    };
  },

  pingWebhookEndpoint: async ({ params, tenant, caller, getOrThrow }) => {
    const endpoint = await getOrThrow(tenant.records(endpointEntity), params.id);
    return { body: showEvent(await pingEndpoint(tenant, caller, endpoint)) };
  },

  verifyWebhookEndpoint: async ({ params, body, tenant, caller, getOrThrow }) => {
    const [before, progress] = await Promise.all([
      getOrThrow(tenant.records(endpointEntity), params.id),
      progressOf(tenant, params.id),
    ]);
    const confirmed = await confirm(tenant, caller, before.record, true);
    checkCode(before.record, body.code);
    const after = await stageChange(tenant, before, { ...VERIFIED, confirmed });
    stageRegistration(tenant, params.id, after.version);
    return respond.record(after, (record) => showEndpoint(record, afterOwnEvent(progress)));
  },

  replayWebhookEndpoint: async ({ params, body, tenant, caller, getOrThrow }) => {
    const before = await getOrThrow(tenant.records(endpointEntity), params.id);
    const { after, state } = await replayEndpoint(tenant, caller, before, body.from);
    const now = await progressAt(tenant, state);
    return respond.record(after, (record) => showEndpoint(record, now));
  },

  listWebhookEndpointAttempts: async ({ params, query, tenant, getOrThrow }) => {
    const [page] = await Promise.all([
      attemptsOf(tenant, params.id).page(query),
      getOrThrow(tenant.records(endpointEntity), params.id),
    ]);
    return respond.page(page, query);
  },
};
