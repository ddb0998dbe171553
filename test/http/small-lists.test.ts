import { beforeAll, describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, NOWHERE, pointersOf } from './api-driver.ts';

/** Filters and orders of small lists, over HTTP: what is refused, and how. How parameters are parsed: `test/contract/list-query.test.ts`. */

const api = useApi();
const mine = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));

beforeAll(async () => {
  await mine.create('/tickets', { subject: 'x', description: 'x', source: 'web', contact_id: NOWHERE });
});

const refusalOf = async (path: string) => {
  const response = await mine.get(path);
  const [finding] = (response.body.errors ?? []) as { detail: string }[];
  return [response.status, String(response.body.type).split(':').at(-1), pointersOf(response), finding?.detail];
};

describe('a list refuses', () => {
  it('what no record can have, with its place', async () => {
    const detail = expect.stringMatching(/^must be a lowercase word/);
    const refusal = [400, 'invalid-parameter', ['#/priority/1'], detail];
    expect(await refusalOf('/tickets?priority=high,Low')).toEqual(refusal);
  });

  it.each([
    ['/services', 'credentials'],
    ['/resources', 'credentials'],
    ['/webhook-endpoints', 'url'],
    ['/webhook-endpoints', 'secrets'],
    ['/webhook-endpoints', 'backlog'],
    ['/webhook-events', 'data'],
    ['/integrations', 'secret'],
    ['/clients', 'risks'],
  ])('to say anything of what %s does not show: %s', async (path, field) => {
    const refusal = await refusalOf(`${path}?sort=${field}`);
    expect(refusal).toEqual(await refusalOf(`${path}?sort=no_such_field`));
    expect(refusal).toEqual([400, 'invalid-parameter', ['#/sort'], expect.not.stringMatching(`\\b${field}\\b`)]);
    for (const name of [field, `${field}_min`, `${field}_after`])
      expect(await refusalOf(`${path}?${name}=null`)).toEqual([
        400,
        'invalid-parameter',
        [`#/${name}`],
        expect.stringMatching(/^is not known here/),
      ]);
  });
});

it('lists of records below others have no such filters', async () => {
  const { id } = await mine.resource({ client_id: (await mine.client()).id });
  for (const query of ['cpu_usage_min=1', 'sort=cpu_usage'])
    expect((await mine.get(`/resources/${id}/history?${query}`)).status).toBe(400);
});

describe('a list with many filters', () => {
  const long = `page_size=1&q=x&subject=${'%F0%9F%90%B8'.repeat(100)}&subject=x`;

  it('links to its neighbours alone where four links are too long', async () => {
    await mine.create('/tickets', { subject: 'x', description: 'x', source: 'web', contact_id: NOWHERE });
    const { status, headers } = await mine.get(`/tickets?${long}`);
    const short = headers.get('link') ?? '';
    expect([status, short.match(/rel="\w+"/g)]).toEqual([200, ['rel="first"', 'rel="next"', 'rel="last"']]);
    expect(short.match(/subject=/g), 'two values in each').toHaveLength(6);
    const longer = `/tickets?page=2&${long}&subject=${'%C3%BC'.repeat(400)}`;
    const links = (await mine.get(longer)).headers.get('link') ?? '';
    expect(links.match(/rel="\w+"/g)).toEqual(['rel="prev"']);
    expect(links.length).toBeLessThan(8_192);
  });

  it('refuses a query that no link could repeat, and longer texts than URLs', async () => {
    const refused = await mine.get(`/tickets?${long}${`&subject=${'x'.repeat(450)}`.repeat(8)}`);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringMatching(/ 3800 bytes/)]);
    expect(await refusalOf(`/tickets?description=${'x'.repeat(2_049)}`)).toEqual([
      400,
      'invalid-parameter',
      ['#/description'],
      'must be at most 2048 characters long',
    ]);
  });
});
