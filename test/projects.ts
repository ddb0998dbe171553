/** Which test is run when. A new file is of `http` until it is named here. */

/** They need no DynamoDB. */
const UNIT = [
  'test/access/*.test.ts',
  'test/architecture/*.test.ts',
  'test/aws/*.test.ts',
  'test/bench/*.test.ts',
  'test/auth/{envelope-encryption,kms,local-keys,secrets,tenant-keys,tokens}.test.ts',
  'test/clients/{client,package,webhook}.test.ts',
  'test/contract/{addresses,body,constraints,contracts,fields,field-errors,filters,json,linear-work,openapi,permissions,problem,published,record,refused-values,route,route-metadata,sizes,texts}.test.ts',
  'test/dates/*.test.ts',
  'test/docs/{generate,local-gateway,operator,pages,queries,references,runbooks,security,specification,workflow}.test.ts',
  'test/infra/{role-path,bundled-texts,cors,packages,routes,stage-files}.test.ts',
  'test/local/{deprecation,dynamodb-choice,gateway,gateway-authorizer,gateway-coding,gateway-cors,gateway-functions,gateway-hosts,gateway-overload,gateway-throttling,log,printable}.test.ts',
  'test/middleware/{authenticated,authorized,cross-origin,escalations,head,in-session,json-body,problem-details,request-log,response-headers,routed,validated}.test.ts',
  'test/operator/{backups,doctor-account,kinds,logs,restore-partitions,usage}.test.ts',
  'test/shared/*.test.ts',
  'test/table/{ids,lean-calls,lean-client,lean-signer,number-set,periods,restore-differences,retry,scattered,tenant-credentials}.test.ts',
  'test/telemetry/*.test.ts',
  'test/webhooks/{domains,signature}.test.ts',
];

/** They make the stack with empty bundles and look at its template. */
const STACK = [
  'test/docs/cost.test.ts',
  'test/infra/{alarm-events,alarm-logs,alarm-mail,alarms,aliases,api-deployments,backup,canary,concurrency,custom-domain,dashboard,data-stack,deploying-again}.test.ts',
  'test/infra/{firewall,github-roles,isolation,nag,operations,restored-table,rights,stack,tracing,upgrades}.test.ts',
];

/** They start processes, make bundles or lint. */
const SLOW = [
  'test/browser/*.test.ts',
  'test/clients/generated.test.ts',
  'test/contract/openapi-lint.test.ts',
  'test/docs/{adding-a-domain,adding-a-filter}.test.ts',
  'test/infra/{deployed,diff-command,lambda-runtime,linters,restoring,sbom}.test.ts',
  'test/local/{command-lines,dynamodb,dynamodb-access,full-disk,node-version,seed,start}.test.ts',
  'test/operator/{create-platform-key,hostile-values,*-command}.test.ts',
  'test/table/engine-restart.test.ts',
  'test/webhooks/languages.test.ts',
];

/** Slow ones that take longest, the longest first. */
export const LONGEST = [
  'test/infra/deployed.test.ts',
  'test/local/start.test.ts',
  'test/infra/restoring.test.ts',
  'test/local/dynamodb.test.ts',
  'test/operator/local-command.test.ts',
  'test/infra/upgrades.test.ts',
  'test/browser/docs.test.ts',
];

/** They send long random sequences of requests, on the engine of `npm start`. */
const SOAK = ['test/soak/*.test.ts'];

/**
 * Tests that ask the same whatever the day, so that `npm run test:dates` leaves them out. `npm run test:slow` runs them again: on DynamoDB Local,
 * as `test:dates` does the others in CI, and with more of what is drawn at random.
 */
const STORING = [
  'test/clients/{api,collections}.test.ts',
  'test/http/{conflicts,faults,privileged-operation-faults,secrets-at-rest}.test.ts',
  'test/operator/{erase,integrations,replay,restore}.test.ts',
  'test/table/{bounds,number-set}.test.ts',
];

/** Tests that ask the same whatever the day and whatever the engine: what is refused before the storage is asked, and calls that others make, too. */
export const SAME_EVERYWHERE = [
  'test/contract/linear-work.test.ts',
  'test/docs/readme.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/http/{bad-input,docs,matrix,openapi,permissions,risks.property,sizes}.test.ts',
  'test/local/{gateway-harness,request-log}.test.ts',
  'test/operator/{traffic,verify,verify-all}.test.ts',
];
export const SAME_EVERY_DAY = [...STORING, ...SAME_EVERYWHERE];

/** Folders whose tests `npm run test:dates` runs. */
export const AREAS = ['test/dates', 'test/table', 'test/webhooks', 'test/auth', 'test/http', 'test/middleware'];

/** They do a sample in `npm test`, and more in `npm run test:slow`. */
export const SAMPLED = ['test/table/{expiry,lists}.property.test.ts', 'test/table/storms.test.ts'];

/** `npm run test:slow` says `SWEEP=more`; without it no file is in two projects. */
const again = process.env.SWEEP === 'more' ? [...STORING, ...SAMPLED] : [];

/** `npm run test:dates` says `TEST_CLOCK`. */
const sameEveryDay = process.env.TEST_CLOCK === undefined ? [] : SAME_EVERY_DAY;

export const projects = {
  unit: { include: UNIT, exclude: sameEveryDay },
  http: { include: ['test/**/*.test.ts'], exclude: [...UNIT, ...STACK, ...SLOW, ...SOAK, ...sameEveryDay] },
  stack: { include: STACK, exclude: [] },
  again: { include: [...SOAK, ...again], exclude: [] },
  slow: { include: SLOW, exclude: [] },
} satisfies Record<string, { include: string[]; exclude: string[] }>;
