import type { Contract } from './route.ts';

/** Where the documentation is: for people, and as an OpenAPI document. */
const DOCUMENTATION = '/api/v1/docs';
const DOCUMENT = '/api/v1/openapi';

/** Paths that people try first. */
const PATHS = ['/', '/docs', '/api', '/api/v1'] as const;

/** How a gateway leads on from these paths to the documentation, without a function. */
interface Entrance {
  /** None where there is no documentation. */
  readonly paths: readonly string[];
  /** Those that read. */
  readonly methods: readonly string[];
  readonly status: number;
  readonly location: string;
  /**
   * Browsers are sent on; programs and `curl` read where the documents are.
   * @param base at the address of a stage `/` and the stage's name, in front of all paths; else empty
   */
  readonly body: (base: string) => string;
}

export const entranceOf = (contracts: readonly Contract[]): Entrance => ({
  paths: contracts.some(({ routes }) => Object.values(routes).some(({ path }) => path === DOCUMENTATION)) ? PATHS : [],
  methods: ['GET', 'HEAD'],
  status: 302,
  location: DOCUMENTATION,
  body: (base) => `{"documentation":"${base}${DOCUMENTATION}","openapi":"${base}${DOCUMENT}"}`,
});
