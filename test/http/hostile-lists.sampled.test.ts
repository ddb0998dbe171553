import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Route } from '#contract';
import { sampled } from '../support/extent.ts';
import { LONG, ODD, SCRIPTS } from '../support/hostile-texts.ts';
import { prepared } from '../support/prepared.ts';
import { operations, type Scenario, TestTenant } from '../support/scenario.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Every list and every parameter of it, from the contracts, with what nobody should send: a list, or a problem that
 * points at the parameter, and never a 5xx.
 */

const api = useApi();
const tenant = prepared(async () => {
  const org = await api.orgToken();
  return { org, testTenant: new TestTenant(api, org) };
});

const TEXTS = [...SCRIPTS, ...ODD, ...LONG];
/** Bytes that are no UTF-8, and escapes that are none. */
const RAW = ['%ff', '%C0%80', '%ED%A0%80', '%F0%9F', '%', '%2', '%zz', '+', '%2B', '%252C', 'a%2Cb', 'a,b', '%00'];

const lists = operations.filter(([, { response }]) => response.isList === true);

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

describe.each(sampled(lists, 1))('%s', (operationId, route: Route) => {
  const names = Object.keys(route.query.shape);
  let scenario: Promise<Scenario> | undefined;

  async function ask(query: string) {
    scenario ??= tenant.testTenant.scenario(operationId);
    const { path, token } = await scenario;
    const { status, body } = await api.request(route.method, `${path}?${query}`, token === undefined ? {} : { token });
    return { status, pointers: ((body.errors ?? []) as { pointer: string }[]).map(({ pointer }) => pointer), body };
  }

  async function expectNoFailure(query: string, name: string): Promise<void> {
    const { status, pointers, body } = await ask(query);
    const shown = query.slice(0, 200);
    expect([shown, status < 500, status]).toEqual([shown, true, status]);
    if (status !== 400 || body.type === 'urn:problem-type:custodia:malformed-request') return;
    // A wrong value among several is named by its place.
    const isNamed = pointers.some((pointer) => `${pointer}/`.startsWith(`#/${name}/`));
    expect([shown, isNamed, pointers]).toEqual([shown, true, pointers]);
  }

  it.each(names)('with hostile texts as %s', async (name) => {
    for (const text of sampled(TEXTS, 12)) await expectNoFailure(`${name}=${encoded(text)}`, name);
    for (const raw of RAW) await expectNoFailure(`${name}=${raw}`, name);
  });

  it.each(names)('with %s several times', async (name) => {
    for (const times of [2, 10, 11, 21, 200]) {
      const values = Array.from({ length: times }, (_, index) => `${name}=a${index}`);
      await expectNoFailure(values.join('&'), name);
      await expectNoFailure(values.map(() => `${name}=${randomUUID()}`).join('&'), name);
      await expectNoFailure(`${name}=${values.map((_, index) => `a${index}`).join(',')}`, name);
      await expectNoFailure(`${name}=${values.map(() => 'a').join(',')}`, name);
    }
    for (const odd of [
      `${name}`,
      `${name}[]=a`,
      `${name}=`,
      `=${name}`,
      `${name}=a&${name}`,
      `${name.toUpperCase()}=a`,
    ])
      expect((await ask(odd)).status).toBeLessThan(500);
  });

  it('with a megabyte of each parameter', async () => {
    for (const name of sampled(names, 2))
      expect((await ask(`${name}=${'a'.repeat(1_048_576)}`)).status).toBeLessThan(500);
  });

  it('with every parameter at once', async () => {
    for (const text of sampled(
      TEXTS.filter(({ length }) => length < 500),
      8,
    )) {
      expect((await ask(names.map((name) => `${name}=${encoded(text)}`).join('&'))).status).toBeLessThan(500);
    }
  });
});

/** The searched fields of the kinds of records whose names people choose freely. */
const NAMED: readonly (readonly [path: string, fields: readonly string[], more: () => object])[] = [
  ['clients', ['name'], () => ({})],
  ['tickets', ['subject', 'ticket_code'], newTicket],
  ['services', ['name'], () => ({ type: 'web' })],
  ['resources', ['name', 'external_id'], () => ({ name: 'R', type: 'vm' })],
  ['terminals', ['name', 'location'], () => ({ name: 'T' })],
  ['users', ['name'], () => ({ email: `${randomUUID()}@example.org` })],
];

describe.each(NAMED)('records of %s', (path, fields, more) => {
  const needsClient = ['services', 'resources', 'terminals'].includes(path);

  /** Creates a record with a text, changes it, and looks for it. @returns statuses that should not be */
  async function failuresWith(field: string, text: string): Promise<number[]> {
    const { token } = tenant.org;
    const client = needsClient ? { client_id: await tenant.testTenant.reference('Client') } : {};
    const body = { ...more(), ...client, [field]: text };
    const made = await api.request('POST', `/api/v1/${path}`, { token, body });
    const found = await api.request('GET', `/api/v1/${path}?q=${encoded(text.slice(0, 100))}`, { token });
    const change = { token, body: { [field]: `${text}x` } };
    const changed = await api.request('PATCH', `/api/v1/${path}/${made.body.id ?? randomUUID()}`, change);
    return [made, found, changed].map(({ status }) => status).filter((status) => status >= 500);
  }

  it('with hostile texts are made, changed and looked for', async () => {
    for (const text of sampled(TEXTS, 4)) {
      for (const field of fields) expect([field, text, await failuresWith(field, text)]).toEqual([field, text, []]);
    }
  });
});
