/** Names of contenders and operations. */

/** The contenders by name, in the order of the tables: `ours` and `raw` first. */
export const CONTENDERS = {
  ours: 'Custodia',
  raw: 'DocumentClient',
  middy: 'middy + zod',
  powertools: 'Powertools event handler',
  hono: 'hono + ElectroDB',
  toolbox: 'dynamodb-toolbox',
} as const;

export type ContenderName = keyof typeof CONTENDERS;
export const CONTENDER_NAMES = Object.keys(CONTENDERS) as readonly ContenderName[];

/** Operations are on clients unless their name says otherwise. */
export const OPERATION_NAMES = [
  'get',
  'list',
  'filtered list',
  'list of resources',
  'create',
  'patch',
  'log ingest',
] as const;

export type OperationName = (typeof OPERATION_NAMES)[number];
