import { beforeAll, describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, pointersOf, type Responded } from './api-driver.ts';

/** `GET /clients?q=`: clients by the words of their name, or their slug. */

const api = useApi();

const mine = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));
const theirs = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));
let acme: Responded;
let lisbon: Responded;
let aguas: Responded;
beforeAll(async () => {
  acme = await mine.client({ name: 'ACME Lda', slug: 'zz-first' });
  lisbon = await mine.client({ name: 'Bistro', slug: 'acme-lisbon', status: 'inactive' });
  aguas = await mine.client({ name: 'Águas % de_Portugal', slug: null });
  await theirs.client({ name: 'Acme of others', slug: 'acme' });
});

const found = async (q: string, rest = '') => (await mine.list(`/clients?q=${encodeURIComponent(q)}${rest}`)).ids;

describe('clients by words', () => {
  it.each<[string, () => Responded[]]>([
    ['acme', () => [lisbon, acme]],
    ['AcMe', () => [lisbon, acme]],
    ['a', () => [aguas, lisbon, acme]],
    ['acme l', () => [acme]],
    ['lda ACM', () => [acme]],
    ['portugal', () => [aguas]],
    ['lisbon', () => []],
    [' acme  LDA ', () => [acme]],
    ['acme-', () => [lisbon, acme]],
    ['acme-l', () => [lisbon]],
    ['zz', () => [acme]],
    ['aguas', () => [aguas]],
    ['ÁGUAS %', () => [aguas]],
    ['cme', () => []],
    ['acme of', () => []],
    ['%', () => []],
    ['*', () => []],
    ['a_me', () => []],
    ['acme#', () => [lisbon, acme]],
    ['acme\n', () => [lisbon, acme]],
    ['acme lda\n0', () => []],
    ['acme acme-lisbon', () => [lisbon]],
    ['acme\u0000', () => [lisbon, acme]],
    ["' OR 1=1 --", () => []],
  ])('%j are those of this tenant in which all words begin so', async (q, expected) => {
    expect(await found(q)).toEqual(expected().map(({ id }) => id));
  });

  it('also have a status, an order, a page, a total and links that keep the words', async () => {
    expect(await found('acme', '&status=inactive')).toEqual([lisbon.id]);
    expect(await found('acme', '&status=paused')).toEqual([]);
    expect(await found('acme', '&sort=created_at')).toEqual([acme.id, lisbon.id]);
    const { body, headers } = await mine.get('/clients?q=AC&page=2&page_size=1');
    expect(body).toMatchObject({ total: 2, page: 2, data: [{ id: acme.id }] });
    expect(headers.get('link')).toContain('q=AC');
  });

  it('are found by a new name and slug at once, and no more by the old', async () => {
    const { id } = await mine.client({ name: 'Velha', slug: 'velha' });
    await mine.patch(`/clients/${id}`, { name: 'Nova' });
    expect([await found('velha'), await found('nova')]).toEqual([[id], [id]]);
    await mine.patch(`/clients/${id}`, { slug: null });
    expect([await found('velha'), await found('nova')]).toEqual([[], [id]]);
    await mine.patch(`/clients/${id}`, { slug: 'velhos', phone: 1 });
    expect([await found('velh'), await found('nov')]).toEqual([[id], [id]]);
  });

  it('have one name when two change it at once, and are as many as were made at once', async () => {
    const { id } = await mine.client({ name: 'Corrida' });
    const names = ['Corrida um', 'Corrida dois'];
    await Promise.all(names.map((name) => mine.patch(`/clients/${id}`, { name })));
    const { name } = (await mine.get(`/clients/${id}`)).body;
    for (const each of names) expect(await found(each), each).toEqual(each === name ? [id] : []);
    await Promise.all(Array.from({ length: 12 }, () => mine.client({ name: 'Gémeos' })));
    expect(await found('gemeos')).toHaveLength(12);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['blanks', '%20%09'],
    ['what shows nothing', '%E2%80%8B%E3%85%A4'],
    ['only an accent', '%CC%81'],
    ['101 characters', 'a'.repeat(101)],
    ['half a UTF-8 character', '%F0%9F'],
    ['two texts', 'a&q=b'],
  ])('of %s are a 400', async (_, q) => {
    const refused = await mine.get(`/clients?q=${q}`);
    expect([refused.status, pointersOf(refused)]).toEqual([400, expect.toBeOneOf([[], ['#/q']])]);
  });

  it('of 100 characters are looked for, of thousands refused', async () => {
    expect(await found('w'.repeat(100))).toEqual([]);
    for (const form of ['ﷺ', '㍿', 'ΐ', '𝕬', '\u{10FFFF}'])
      expect(await found(form.repeat(form.length === 1 ? 100 : 50))).toEqual([]);
    expect((await mine.get(`/clients?q=${'a'.repeat(8_000)}`)).status).toBe(400);
    // By the HTTP server, before the service sees it; by API Gateway's own limit in AWS.
    expect((await mine.get(`/clients?q=${'a'.repeat(1_048_576)}`)).status).toBe(431);
  });
});
