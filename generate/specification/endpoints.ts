import type * as z from 'zod';
import type { Contract, Route } from '#contract';
import { markdown } from '../markdown.ts';

/** Marks what the service has beyond the specification that it was given. */
const OURS = '†';

/** The endpoints of each domain, under its tag. */
export const endpoints = (contracts: readonly Contract[]): string =>
  contracts
    .map(({ tag, description, routes }) => `### ${tag}\n\n${description}\n\n${endpointTable(Object.values(routes))}`)
    .join('\n\n');

const endpointTable = (routes: readonly Route[]): string =>
  markdown({
    head: ['endpoint', 'what it does', 'permission', 'query', 'body', 'response', 'its own problems'],
    rows: routes.map((route) => [
      `\`${route.method} ${route.path}\`${route.extension === true ? ` ${OURS}` : ''}`,
      [`${route.summary}.`, route.description ?? []].flat().join(' '),
      accessTo(route),
      codes(Object.keys(route.query.shape).filter((name) => name !== 'org_id')),
      route.body?.name ?? '',
      `${successesOf(route)} ${nameOf(route.response.schema)}`.trim(),
      codes(route.errors),
    ]),
  });

/** The events of webhooks that do what an endpoint does. */
export const events = (contracts: readonly Contract[]): string =>
  markdown({
    head: ['event type', 'does the same as', 'the path’s `{id}` is in `data` as'],
    rows: contracts
      .flatMap(({ routes }) => Object.values(routes))
      .flatMap(({ method, path, params, event }) =>
        event === undefined
          ? []
          : [
              [
                `\`${event.type}\``,
                `\`${method} ${path}\``,
                Object.keys(params.shape).length === 0 ? '' : `\`${event.idField ?? 'id'}\``,
              ],
            ],
      ),
  });

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

const successesOf = ({ response, upsert }: Route): string =>
  upsert === undefined ? String(response.status) : `${response.status} or 200`;

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const nameOf = (schema: z.ZodType | undefined): string => String(schema?.meta()?.id ?? '');
