import { expect, it } from 'vitest';
import { pageOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { respond } from '#http';
import { responseOf } from '../../shared/http/response.ts';

/** How much of its bound a page has used that no index has filtered and sorted. */

const shop = record('Shop', () => ({ id: readOnly(field.uuid()) }));
const listShops = route('GET', '/shops', {
  summary: 'x',
  permission: null,
  query: parameter.page,
  response: pageOf(shop, 'x', {}),
});

it.each([
  [undefined, undefined],
  [0, '0;limit=500'],
  [36.5, '37;limit=500'],
])('a page for which %s units were read has the header %s', (residualUnits, header) => {
  const query = { page: 1, page_size: 25 };
  const found = { records: [], total: 0, isCut: false, ...(residualUnits === undefined ? {} : { residualUnits }) };
  const context = {
    matched: { route: listShops, itemPath: undefined },
    request: { params: {}, query: {}, headers: new Headers() },
    input: { query },
    scope: { caller: undefined },
  } as unknown as Parameters<typeof responseOf>[0];
  expect(responseOf(context, respond.page(found, query)).headers?.['Scan-Units']).toBe(header);
});
