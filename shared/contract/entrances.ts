import type { Contract } from './route.ts';

/** Where the documentation for people is. */
const DOCUMENTATION = '/api/v1/docs';

/** Paths that people try first. */
const ENTRANCES = ['/', '/docs'] as const;

/** The paths from which the gateway sends browsers on to the documentation, without a function; none where there is no documentation. */
export const entrancesOf = (contracts: readonly Contract[]): readonly string[] =>
  contracts.some(({ routes }) => Object.values(routes).some(({ path }) => path === DOCUMENTATION)) ? ENTRANCES : [];

/** The response at an entrance to requests that read. At the address of a stage, `Location` begins with the stage's name. */
export const REDIRECT = { status: 302, methods: ['GET', 'HEAD'], location: DOCUMENTATION } as const;
