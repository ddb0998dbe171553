import { Problem } from '#contract';
import { noRecord, type Operations, respond } from '#http';
import type { Tenant } from '#table';
import { attachmentEntity, attachmentsOf, ticketEntity } from '../store.ts';
import type { Attachment, attachments } from './contract.ts';
import { attachmentQuota, MOST_OF_TICKET } from './limits.ts';
import { deleteObject, downloadOf, requireObject, uploadOf } from './objects.ts';
import { settleUploads } from './state/settle.ts';
import { objectKey, readUpload, stageCompletion, stageUpload, stageVoid, type Upload } from './state/uploads.ts';

export const attachmentOperations: Operations<typeof attachments> = {
  listAttachments: async ({ params, query, tenant, getOrThrow }) => {
    const [page] = await Promise.all([
      attachmentsOf(tenant, params.id).cursorPage({ limit: query.page_size, after: query.after }),
      getOrThrow(tenant.records(ticketEntity), params.id),
    ]);
    return respond.cursorPage(page);
  },

  createAttachment: async ({ params, body, tenant, session, getOrThrow }) => {
    await Promise.all([
      getOrThrow(tenant.records(ticketEntity), params.id),
      requireRoom(tenant, params.id),
      // What other uploads have left is no reason to refuse this one.
      settleUploads(tenant, (key) => deleteObject(tenant, key)).catch(() => undefined),
    ]);
    // Nothing is announced for a ticket that is deleted at the same time.
    tenant.records(ticketEntity).require(params.id, () => noRecord(ticketEntity));
    const fields = { ...body, ticket_id: params.id, created_at: session.timestamp };
    const upload = stageUpload(tenant, fields, attachmentQuota());
    return { body: { ...announced(upload), upload: await uploadOf(tenant, upload) } };
  },

  getAttachment: async ({ params, tenant, getOrThrow }) => {
    const [{ stored, upload }] = await Promise.all([
      find(tenant, params),
      getOrThrow(tenant.records(ticketEntity), params.id),
    ]);
    if (stored === undefined) return { body: announced(found(upload)), version: 1 };
    return { body: { ...stored.record, download: await downloadOf(tenant, stored.record) }, version: stored.version };
  },

  completeAttachment: async ({ params, tenant, session, getOrThrow }) => {
    const records = tenant.records(ticketEntity);
    const [{ stored, upload }, ticket] = await Promise.all([find(tenant, params), getOrThrow(records, params.id)]);
    if (stored !== undefined) return respond.record(stored);
    const { id, ...fields } = found(upload);
    await Promise.all([requireObject(tenant, { id, ...fields }), requireRoom(tenant, params.id)]);
    stageCompletion(tenant, { id });
    records.derived.move(ticket, 'last_activity_at', () => noRecord(ticketEntity));
    const uploaded = { ...fields, uploaded_at: session.timestamp };
    return respond.record(await attachmentsOf(tenant, params.id).create({ id, fields: uploaded }));
  },

  deleteAttachment: async ({ params, tenant, session, getOrThrow }) => {
    const records = attachmentsOf(tenant, params.id);
    const [{ stored, upload }, ticket] = await Promise.all([
      find(tenant, params),
      tenant.records(ticketEntity).get(params.id),
    ]);
    if (ticket === undefined) throw noRecord(ticketEntity);
    // An announced one is in its first version.
    const attachment = stored ?? { record: announced(found(upload)), version: 1, item: {} };
    const either: typeof records = Object.assign(Object.create(records), { get: async () => attachment });
    await getOrThrow(either, params.attachment_id);
    if (stored !== undefined) await records.remove(stored);
    stageVoid(tenant, attachment.record, stored === undefined);
    // Its bytes are gone at once; where this fails, the next attachment of the organization does it.
    session.changes.afterCommit(() => deleteObject(tenant, objectKey(tenant, params.attachment_id)));
    return respond.empty;
  },
};

interface Named {
  readonly id: string;
  readonly attachment_id: string;
}

/** An attachment of a ticket, completed or announced. */
async function find(tenant: Tenant, { id: ticketId, attachment_id: id }: Named) {
  const [stored, upload] = await Promise.all([
    attachmentsOf(tenant, ticketId).get(id),
    readUpload(tenant, ticketId, id),
  ]);
  return { stored, upload };
}

function found(upload: Upload | undefined): Upload {
  if (upload === undefined) throw noRecord(attachmentEntity);
  return upload;
}

const announced = (upload: Upload): Attachment => ({ ...upload, uploaded_at: null });

/** @throws Problem `conflict` where a ticket has as many attachments as it may have */
async function requireRoom(tenant: Tenant, ticketId: string): Promise<void> {
  const { records } = await attachmentsOf(tenant, ticketId).cursorPage({ limit: MOST_OF_TICKET });
  if (records.length < MOST_OF_TICKET) return;
  throw new Problem('conflict', { detail: `The ticket has ${MOST_OF_TICKET} attachments, as many as it may have.` });
}
