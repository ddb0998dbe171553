/** Names of contenders and operations: `run.ts` offers them before anything else is loaded. */

/** The contenders by name, in the order of the tables. The raw ones make the calls of others, and nothing else. */
export const CONTENDERS = {
  ours: 'Custodia',
  raw: 'DocumentClient, calls of Custodia',
  rawMiddy: 'DocumentClient, calls of middy + zod',
  middy: 'middy + zod',
} as const;

export type ContenderName = keyof typeof CONTENDERS;
export const CONTENDER_NAMES = Object.keys(CONTENDERS) as readonly ContenderName[];

/** Whose calls a raw contender makes. */
export const CALLS_OF = { raw: 'ours', rawMiddy: 'middy' } as const;
export type RawName = keyof typeof CALLS_OF;
export const isRaw = (name: ContenderName): name is RawName => name in CALLS_OF;

/** Operations are on clients unless their name says otherwise. */
export const OPERATION_NAMES = ['get', 'list', 'filtered list', 'create', 'patch', 'log ingest'] as const;

export type OperationName = (typeof OPERATION_NAMES)[number];
