import type { Contract } from './route.ts';

/** Where the documentation is: for people, and as an OpenAPI document. */
const DOCUMENTATION = '/api/v1/docs';
const DOCUMENT = '/api/v1/openapi';

/** Paths that people try first. */
const ENTRANCES = ['/', '/docs', '/api', '/api/v1'] as const;

/**
 * The paths from which the gateway leads on to the documentation, without a function; none where there is no
 * documentation.
 */
export const entrancesOf = (contracts: readonly Contract[]): readonly string[] =>
  contracts.some(({ routes }) => Object.values(routes).some(({ path }) => path === DOCUMENTATION)) ? ENTRANCES : [];

/**
 * The response at an entrance to requests that read: browsers are sent on, programs and `curl` read where they are.
 * @param base at the address of a stage `/` and the stage's name, in front of all paths; else empty
 */
export const REDIRECT = {
  status: 302,
  methods: ['GET', 'HEAD'],
  location: DOCUMENTATION,
  body: (base: string) => `{"documentation":"${base}${DOCUMENTATION}","openapi":"${base}${DOCUMENT}"}`,
} as const;
