import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerTo } from '../../functions/events/endpoints/proof.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { listening } from '../support/listening.ts';
import type { Message, TableRequest } from './account/account.ts';
import type { RunningStack } from './account/deploy.ts';

interface Deployed {
  readonly api: RunningStack;
  /** The partitions in a request that are another tenant's than the signer's. */
  readonly anotherTenants: (request: TableRequest) => string[];
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** From a change to a receiver, by the three functions under their roles. `deployed.slow.test.ts` deploys the stack. */
export function describeDeliveries({ api, anotherTenants }: Deployed): void {
  describe('an event is delivered under the roles of the stack', () => {
    const received: Received[] = [];
    /** What the receiver responds. */
    let status = 204;
    const receiver = createServer(async (request, response) => {
      const body = await text(request);
      const { challenge } = JSON.parse(body).data;
      if (challenge !== undefined) return response.end(answerTo(challenge, String(endpoint.secret)));
      received.push({ headers: request.headers, body });
      return response.writeHead(status).end();
    });
    let acme: OrgAccess;
    let endpoint: JsonBody;
    const at = () => `/api/v1/webhook-endpoints/${endpoint.id}`;

    beforeAll(async () => {
      acme = await api.orgToken('Delivered');
      const body = { url: `${await listening(receiver)}/hook`, event_types: ['client.created'] };
      const made = await api.request<JsonBody>('POST', '/api/v1/webhook-endpoints', { token: acme.token, body });
      expect(made.status, JSON.stringify([made.body, api.account.refusals])).toBe(201);
      endpoint = made.body;
    });
    afterAll(() => {
      receiver.close();
      expect(api.account.refusals).toEqual([]);
      expect(api.account.requests.flatMap(anotherTenants)).toEqual([]);
    });

    /** Runs a function, which must succeed, and returns the messages that it sends. */
    async function messagesOf(name: string, event: unknown): Promise<readonly Message[]> {
      const before = api.account.messages.length;
      const outcome = await api.lambda.get(name)?.invoke(event);
      expect(outcome, api.account.refusals.join()).toHaveProperty('payload');
      return api.account.messages.slice(before);
    }
    const ring = () => {
      const Keys = { PK: { S: `ORG#${acme.orgId}#EVENT` }, SK: { S: '0' } };
      return messagesOf('delivery-wake-up', { Records: [{ eventName: 'INSERT', dynamodb: { Keys } }] });
    };
    const deliver = ({ body }: Pick<Message, 'body'>) =>
      messagesOf('deliveries', { Records: [{ messageId: randomUUID(), body }] });
    const create = async () => {
      const { body } = await api.request<JsonBody>('POST', '/api/v1/clients', {
        token: acme.token,
        body: { name: 'Desk' },
      });
      return body;
    };
    const read = async () => (await api.request<JsonBody>('GET', at(), { token: acme.token })).body;

    it('by the wake-up, which reads nothing, and the worker', async () => {
      const client = await create();
      const before = api.account.requests.length;
      const [message, ...others] = await ring();
      expect([api.account.requests.length, others]).toEqual([before, []]);
      expect([message?.group, JSON.parse(message?.body ?? '')]).toEqual([acme.orgId, { tenant: acme.orgId }]);

      expect(await deliver(message as Message)).toEqual([]);
      const [{ headers, body }, ...repeated] = received as [Received];
      expect(repeated).toEqual([]);
      const secret = new Webhook(String(endpoint.secret));
      expect(secret.verify(body, headers as Record<string, string>)).toMatchObject({
        data: { type: 'client.created', record_id: client.id },
      });
      expect(await read()).toMatchObject({ status: 'active', failing_since: null });
    });

    it('by the schedule, which reads the register and numbers, where nobody rang', async () => {
      await create();
      const before = api.account.requests.length;
      const messages = await messagesOf('delivery-schedule', {});
      const ofAcme = messages.filter(({ group }) => group === acme.orgId);
      expect(ofAcme.map(({ body }) => JSON.parse(body))).toContainEqual({
        tenant: acme.orgId,
        endpointId: endpoint.id,
      });
      for (const { by, partitions } of api.account.requests.slice(before)) {
        expect(by.tags).toEqual({});
        for (const each of partitions) expect(each).toMatch(/^(WARM#|DELIVERIES|ORG#[^#]+#(DELIVERY|EVENT#SET))$/);
      }
      for (const message of ofAcme) await deliver(message);
      expect(received).toHaveLength(2);
    });

    it('later, where the receiver fails, with the attempt in the list of the endpoint', async () => {
      status = 500;
      await create();
      const [message] = await ring();
      const [again, ...others] = await deliver(message as Message);
      expect([JSON.parse(again?.body ?? ''), others]).toEqual([{ tenant: acme.orgId, endpointId: endpoint.id }, []]);
      expect(again?.delaySeconds).toBeGreaterThan(0);
      const attempts = await api.request<{ data: JsonBody[] }>('GET', `${at()}/attempts`, { token: acme.token });
      expect(attempts.body.data).toMatchObject([{ status_code: 500, events: 1, skipped: false }]);
      expect((await read()).failing_since).not.toBeNull();
    });

    it('no more, where the receiver is gone: the endpoint is disabled, with an event and an audit event', async () => {
      status = 410;
      const { url } = endpoint;
      // A change of the address is called at once.
      await api.request('PATCH', at(), { token: acme.token, body: { url: `${url}/gone` } });
      const [message] = await ring();
      expect(await deliver(message as Message)).toEqual([]);
      expect(await read()).toMatchObject({ status: 'disabled', status_reason: 'gone' });
      const { body } = await api.request<{ data: JsonBody[] }>('GET', '/api/v1/audit-events', { token: acme.token });
      expect(body.data[0]).toMatchObject({ record_id: endpoint.id });
      // The register has no entry any more, so a wake-up does nothing.
      const calls = received.length;
      expect(await deliver(message as Message)).toEqual([]);
      expect(received).toHaveLength(calls);
    });
  });
}
