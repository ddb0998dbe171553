import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { RequestSession, Tenant } from '#table';
import { stageBytes } from '#table/storage';
import { askForObjects } from '../../functions/tickets/attachments/objects.ts';
import { eraseOrganization } from '../../operator/erase.ts';
import { recordsOf } from '../../operator/export.ts';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { systemClock } from '../../shared/clock.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { newTicket, TICKETS } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();

const tenantAt = (orgId: string, clock = systemClock) =>
  Tenant.ofOperator(orgId, RequestSession.ofEnvironment(10_000, clock));

/** An organization with an attachment that was completed, and one that is announced and uploaded. */
async function withAttachments() {
  const { orgId, token } = await api.orgToken();
  const { ask, create, read } = callsOf(api, token);
  const path = `${TICKETS}/${(await create(TICKETS, newTicket())).id}/attachments`;
  const ids: string[] = [];
  for (const bytes of ['hello', 'hi']) {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = { name: 'a.txt', media_type: 'text/plain', size: bytes.length, sha256 };
    const { id, upload } = await create(path, file);
    const { url, headers } = upload as { url: string; headers: Record<string, string> };
    expect((await fetch(url, { method: 'PUT', headers, body: bytes })).status).toBe(200);
    ids.push(id);
  }
  expect((await ask('POST', `${path}/${ids[0]}/complete`)).status).toBe(200);
  const objects = () =>
    Promise.all(
      ids.map(async (id) => (await askForObjects(tenantAt(orgId), { method: 'HEAD', key: `${orgId}/${id}` })).status),
    );
  const bytes = async () => ((await read('/api/v1/usage')).attachments as { bytes: number }).bytes;
  return { orgId, path, ids, objects, bytes, read, ask };
}

it('are exported as records, without their bytes', async () => {
  const { orgId, ids } = await withAttachments();
  const exported = [];
  for await (const each of recordsOf(tenantAt(orgId))) if (each.type === 'Attachment') exported.push(each.record);
  const sha256 = createHash('sha256').update('hello').digest('hex');
  expect(exported).toEqual([expect.objectContaining({ id: ids[0], name: 'a.txt', size: 5, sha256 })]);
});

it('are counted, and verified', async () => {
  const { orgId, objects, bytes } = await withAttachments();
  expect([await bytes(), await objects()]).toEqual([7, [200, 200]]);
  expect((await verify(tenantAt(orgId), kinds, { repair: true })).differences).toEqual([]);
  expect(await objects()).toEqual([200, 200]);

  const { id, session } = tenantAt(orgId);
  stageBytes(session.changes.of(id), id, 3);
  await session.commit();
  const { differences } = await verify(tenantAt(orgId), kinds, { repair: true });
  expect(differences).toEqual([expect.objectContaining({ kind: 'counter', entity: 'ATTACHMENT', repaired: true })]);
  expect(await bytes()).toBe(7);
});

it.each(['announced', 'completed'])('are erased after the last URL has ended, of an %s one, too', async (state) => {
  const { orgId, path, ids, objects, ask } = await withAttachments();
  if (state === 'completed') expect((await ask('POST', `${path}/${ids[1]}/complete`)).status).toBe(200);
  const waits: number[] = [];
  let ahead = 0;
  const receipt = await eraseOrganization(orgId, {
    sweeps: false,
    clock: () => systemClock() + ahead,
    pause: async (milliseconds) => {
      waits.push(milliseconds);
      ahead += milliseconds;
    },
  });
  expect([receipt.objects, await objects()]).toEqual([true, [404, 404]]);
  expect(ahead).toBeGreaterThan(14 * 60_000);
  expect(waits).toHaveLength(2);
});
