import type * as z from 'zod';
import { type Contract, PROBLEMS, type Route } from '#contract';
import { catalogue } from '../../functions/access/catalogue.static.ts';
import { contracts } from '../../functions/all-contracts.ts';
import { describedBy } from '../../functions/docs/openapi/document.ts';
import { withText } from '../places.ts';
import { records } from './records.ts';
import type { Schemas } from './schema.ts';

/**
 * The page `docs/specification.md` with its tables from the contracts. The text between the tables is written by hand.
 */
export function withContracts(page: string): string {
  const { components } = describedBy(contracts);
  const places = {
    'spec:records': records(contracts, components.schemas as Schemas),
    'spec:permissions': permissions(),
    'spec:endpoints': endpoints(contracts),
    'spec:problems': problems(),
  };
  return Object.entries(places).reduce((text, [place, tables]) => withText(text, place, tables), page);
}

const permissions = (): string => catalogue.map(({ code }) => `\`${code}\``).join(', ');

/** The problems of each status. */
const problems = (): string =>
  Array.from(
    Map.groupBy(Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[], (type) => PROBLEMS[type].status),
    ([status, types]) => `- ${status}: ${codes(types)}`,
  ).join('\n');

/** Marks what the service has beyond the specification that it was given. */
const OURS = '†';

/** The endpoints of each domain, under its tag. */
export const endpoints = (contracts: readonly Contract[]): string =>
  contracts.map(({ tag, routes }) => `### ${tag}\n\n${Object.values(routes).map(lineOf).join('\n')}`).join('\n\n');

const lineOf = (route: Route): string =>
  [
    `- \`${route.method} ${route.path}\`${route.extension === true ? ` ${OURS}` : ''} (${accessTo(route)}): ${route.summary}.`,
    ...(route.extension === true ? [] : given(route)),
    ...eventOf(route),
  ].join(' ');

/** What only the OpenAPI document says of extensions. */
const given = (route: Route): string[] => [
  ...named('Query', parametersOf(route)),
  ...named(
    'Problems',
    route.errors.filter((problem) => !(problem === 'not-found' && route.path.includes('id}'))),
  ),
  ...unusual(route),
];

/** What every endpoint with a token takes, and every list with pages. */
const COMMON_QUERY = ['org_id', 'page', 'page_size', 'sort'];

function parametersOf({ query: { shape }, further }: Route): readonly string[] {
  const common = 'page' in shape ? COMMON_QUERY : ['org_id'];
  return [...Object.keys(shape), ...Object.keys(further?.() ?? {})].filter((name) => !common.includes(name));
}

const named = (what: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${what}: ${codes(names)}.`];

/** A response with another status, or another record, than the method and the body say. */
function unusual({ method, body, response }: Route): string[] {
  const name = nameOf(response.schema);
  const usual = { GET: 200, POST: 201, PUT: 201, PATCH: 200, DELETE: 204 }[method];
  const isOfBody = method === 'GET' || method === 'DELETE' || name === body?.name.replace(/(Create|Patch|Upsert)$/, '');
  if (response.status === usual && isOfBody) return [];
  return [`Returns ${[response.status, name].join(' ').trim()}.`];
}

/** The event of webhooks that does the same, and the field of its `data` with the id of the path. */
function eventOf({ event, params }: Route): string[] {
  if (event === undefined) return [];
  const hasOtherId = Object.keys(params.shape).length > 0 && event.idField !== undefined;
  return [`Event: \`${event.type}\`${hasOtherId ? ` with \`${event.idField}\`` : ''}.`];
}

function accessTo({ auth, permission }: Route): string {
  switch (auth) {
    case 'bearer':
      return permission ? `\`${permission}\`` : 'any token';
    case 'bearer-optional':
      return `\`${permission}\`; no token for a first key`;
    case 'signature':
      return 'signature';
    case 'none':
      return 'none';
  }
}

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const nameOf = (schema: z.ZodType | undefined): string => String(schema?.meta()?.id ?? '');
