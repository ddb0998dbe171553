import { describe, expect, it } from 'vitest';
import { exportsOf } from './door-names.ts';
import { looksAtClock, waysOut } from './outside.ts';
import { circleIn, type Source, sources, sourcesIn } from './sources.ts';

/** The structure of the source (`docs/decisions/0001`, `0050`). Every rule names the files that break it. */

const within = (folder: string): readonly Source[] => sources.filter(({ path }) => path.startsWith(folder));

/** Violations of a rule about imports: `file → import`. */
const forbidden = (from: readonly Source[], isForbidden: (name: string, path: string) => boolean): string[] =>
  from.flatMap(({ path, imports }) =>
    imports.filter((name) => isForbidden(name, path)).map((name) => `${path} → ${name}`),
  );

/** Imports from a higher layer. Layers are listed from the lowest up, by their paths. */
const upward = (layers: readonly RegExp[]): string[] => {
  const levelOf = (path: string): number => layers.findIndex((layer) => layer.test(path));
  return forbidden(sources, (name, path) => levelOf(path) >= 0 && levelOf(name) > levelOf(path));
};

const saying = (from: readonly Source[], pattern: RegExp): string[] =>
  from.filter(({ code }) => pattern.test(code)).map(({ path }) => path);

/** Where the project's own files are; other imports are packages. */
const isOwn = (name: string): boolean => /^(bin|functions|infra|local|operator|packages|shared)\//.test(name);

it('the rules see all sources and their imports', () => {
  expect(sources.length).toBeGreaterThan(150);
  expect(sources.find(({ path }) => path === 'shared/table/session/request-session.ts')?.imports).toContain(
    'packages/counted-lists/src/index.ts',
  );
  expect(sources.find(({ path }) => path === 'functions/clients/handler.ts')?.imports).toContain(
    'shared/http/index.ts',
  );
});

describe('imports', () => {
  it('make no circle, not even of types, nor in tests and tools', () => {
    const others = sourcesIn('{bench,packages/client,packages/*/test,generate,test}/**');
    expect(circleIn(new Map([...sources, ...others].map(({ path, imports }) => [path, imports])))).toBeUndefined();
    expect(
      circleIn(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['b']],
        ]),
      ),
    ).toEqual(['b', 'c', 'b']);
  });

  it('run one way: entry points, then stack, operator and machine, then functions, then what they share', () => {
    expect(
      upward([/^packages\//, /^shared\//, /^functions\//, /^local\//, /^operator\//, /^infra\//, /^bin\//]),
    ).toEqual([]);
    expect(forbidden(within('infra/'), (name) => /^(local|operator)\//.test(name))).toEqual([]);
  });

  it('run one way in the room of events: deliveries, then endpoints, then what both use', () => {
    const used = /^functions\/events\/(state\/|[^/]+$|endpoints\/(contract|records)\.ts$)/;
    const layers = [used, /^functions\/events\/endpoints\//, /^functions\/events\/deliveries\//];
    expect(upward(layers)).toEqual([]);
    expect(upward(layers.toReversed())).not.toEqual([]);
  });

  it('inside shared/ run one way, too', () => {
    const libraries = ['telemetry', 'json', 'outbound', 'contract', 'identity', 'table', 'tenancy', 'auth'];
    const folders = ['[^/]+$', ...[...libraries, 'http'].map((name) => `${name}/`)];
    const layers = folders.map((folder) => new RegExp(`^shared/${folder}`));
    expect(upward(layers)).toEqual([]);
    expect(upward(layers.toReversed())).not.toEqual([]);
    expect(within('shared/').filter(({ path }) => !layers.some((layer) => layer.test(path)))).toEqual([]);
  });

  it('of the counted lists are Node’s and those of AWS’s clients: they know no tenant, no domain and no HTTP', () => {
    const known = /^(packages\/counted-lists\/|node:|@aws-sdk\/(client-dynamodb|lib-dynamodb|util-dynamodb)$)/;
    expect(forbidden(within('packages/counted-lists/src/'), (name) => !known.test(name))).toEqual([]);
    expect(saying(within('packages/counted-lists/src/'), /\btenant/i)).toEqual([]);
  });

  it('of a package’s tests are that package and what all tests share, and nothing that uses it', () => {
    const tests = sourcesIn('packages/*/test/**');
    expect(tests.length).toBeGreaterThan(15);
    const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/');
    const shared = /^(test\/support|local\/dynamodb)\//;
    const found = tests.flatMap(({ path, imports }) =>
      imports.filter(
        (name) => (isOwn(name) || name.startsWith('#')) && !shared.test(name) && !name.startsWith(folderOf(path)),
      ),
    );
    expect(found).toEqual([]);
  });

  it('of contracts are zod and other contracts, and nothing of AWS', () => {
    const contracts = [...within('shared/contract/'), ...sources.filter(({ path }) => path.endsWith('/contract.ts'))];
    expect(forbidden(contracts, (name) => !isOwn(name) && !/^(zod|zod-openapi|uuid|node:\w+)$/.test(name))).toEqual([]);
    const known = /^(functions\/docs\/openapi|shared\/(contract|json))\/|^shared\/[^/]+$/;
    expect(
      forbidden(
        [...within('shared/contract/'), ...within('functions/docs/openapi/')],
        (name) => isOwn(name) && !known.test(name),
      ),
    ).toEqual([]);
  });

  it('of the stack and of the local gateway are contracts, never what is behind them', () => {
    // Besides their routes, the functions offer code for the operator's commands, and the port of their queue.
    const queue = 'functions/events/deliveries/queue.ts';
    const state = ['events/state/register.ts', 'events/state/state.ts', 'alerts/state/held.ts'];
    const integrations = ['platform.ts', 'secrets.ts'].map((file) => `functions/integrations/${file}`);
    const offered = ['functions/all-contracts.ts', ...integrations, queue, ...state.map((file) => `functions/${file}`)];
    const outside = [...within('infra/'), ...within('local/')];
    expect(forbidden(outside, (name) => name.startsWith('functions/') && !offered.includes(name))).toEqual([]);
  });

  it('of what makes pages and files are no benchmarks: those measure, and print by the same means', () => {
    const generators = sourcesIn('generate/**');
    expect(generators.map(({ path }) => path)).toContain('generate/data-model/measure.ts');
    expect(forbidden(generators, (name) => name.startsWith('bench/'))).toEqual([]);
  });

  it('of two domains run one way: none imports another that imports it', () => {
    const domainOf = (path: string): string | undefined => /^functions\/([^/]+)\//.exec(path)?.[1];
    const known = new Map<string, Set<string>>();
    for (const { path, imports } of within('functions/')) {
      const domain = domainOf(path);
      const others = imports.flatMap((name) => domainOf(name) ?? []).filter((other) => other !== domain);
      if (domain !== undefined) known.set(domain, new Set([...(known.get(domain) ?? []), ...others]));
    }
    const both = [...known].flatMap(([domain, others]) =>
      [...others]
        .filter((other) => domain < other && known.get(other)?.has(domain))
        .map((other) => `${domain} ⇄ ${other}`),
    );
    expect(both).toEqual([]);
  });

  it('of nobody are handlers: they are loaded, as Lambda loads them', () => {
    expect(forbidden(sources, (name) => name.endsWith('/handler.ts'))).toEqual([]);
  });
});

it('the chain of middlewares knows the caller, charges and permits it before it reads the body', () => {
  const pipeline = sources.find(({ path }) => path === 'shared/http/pipeline.ts');
  const chain = Array.from(pipeline?.code.matchAll(/\.(?:use|handler)\((\w+)/g) ?? [], ([, name]) => name);
  const order = ['head', 'problemDetails', 'authenticated', 'requestBudget', 'authorized', 'jsonBody', 'validated'];
  expect(chain.filter((name = '') => order.includes(name))).toEqual(order);
});

/**
 * `functions/events/state/` stores how far events are delivered, `functions/tickets/attachments/state/` uploads,
 * `functions/alerts/state/` which alerts fire.
 */
const storage =
  /^(packages|shared\/(table|tenancy)|operator\/maintenance|functions\/(alerts|tickets\/attachments|events)\/state)\//;

describe('the table', () => {
  const outside = sources.filter(({ path }) => !storage.test(path));

  it('is reached by the storage code alone, and by what sets it up', () => {
    const reaches = (name: string): boolean => /^@aws-sdk\/(client-dynamodb|lib-dynamodb|util-dynamodb)$/.test(name);
    expect(forbidden(outside, (name, path) => reaches(name) && !path.startsWith('local/dynamodb/'))).toEqual([]);
    expect(saying(within('functions/'), /\b(environmentTable|tenantTable)\b/)).toEqual([]);
  });

  it('has its keys made in one place', () => {
    expect(saying(sources, /['"`](ORG|APP|SUSPENDED|LOGIN_FAILURE)#/)).toEqual([
      'shared/table/keys.ts',
      'shared/tenancy/keys.ts',
    ]);
    // The stack's policies use the same keys.
    const elsewhere = outside.filter(({ path }) => !path.startsWith('infra/'));
    const known = ['table', 'tenancy'].flatMap((library) => exportsOf(`shared/${library}/keys.ts`));
    const importing = new RegExp(`import [^;]*\\b(${known.join('|')})\\b[^;]*from '#(table|tenancy)'`);
    expect(known).toContain('tenantPartition');
    expect(saying(elsewhere, importing)).toEqual([]);
    expect(importing.test("import {\n  type RequestSession,\n  uniqueKey,\n} from '#table';")).toBe(true);
  });

  it('is never scanned by a function', () => {
    // Except the operator with an administrator's own credentials: no role of the stack may scan
    // (`test/infra/rights.stack.test.ts`).
    expect(saying(sources, /\bScan(?!IndexForward|ned|-Units)/)).toEqual(['operator/maintenance/erase/eraser.ts']);
    expect(saying(sources, /ExecuteStatement|PartiQL/)).toEqual([]);
  });

  it('has audit events that are put and read, never changed or removed', () => {
    const handling = [
      'functions/audit/operations.ts',
      'shared/table/repository/audit-events.ts',
      'shared/table/tenant.ts',
    ];
    // The operator verifies their lists. Its role prevents changes of events (`test/infra/isolation.stack.test.ts`).
    const naming = saying(sources, /\bauditEventEntity\b/).filter(
      (path) => !/^(infra|operator)\/|\/index\.ts$/.test(path),
    );
    expect(naming).toEqual([...handling.slice(0, 1), 'functions/audit/store.ts', ...handling.slice(1)]);
    const handlers = sources.filter(({ path }) => handling.includes(path));
    expect(saying(handlers, /\.(update|remove|adjust|advance|deleteAll|delete)\(/)).toEqual([]);
  });

  it('is opened for a tenant by the session alone, and used so by the storage code alone', () => {
    expect(saying(sources, /\btenantTable\b/)).toEqual([
      'shared/table/connection/client.ts',
      'shared/table/session/request-session.ts',
    ]);
    expect(saying(outside, /\b(tables|changes)\.of\(/)).toEqual([]);
    expect(saying(sources, /\bnew RequestSession\(/)).toEqual(['shared/table/session/request-session.ts']);
  });

  it('has tenants that come from a verified caller, stored credentials or a new organization: no other text becomes one', () => {
    const making = saying(sources, /\bas TenantId\b/).filter((path) => !path.startsWith('infra/'));
    expect(making).toEqual(['shared/table/keys.ts', 'shared/table/tenant.ts']);
    // The operator names any tenant; no request gets there.
    expect(saying([...within('functions/'), ...within('shared/http/')], /\.ofOperator\(/)).toEqual([]);
  });
});

describe('what the functions reach', () => {
  // The OpenAPI document and the pages are made at build time: the functions have their text alone.
  const functions = [...within('packages/'), ...within('shared/'), ...within('functions/')].filter(
    ({ path }) => !/^functions\/docs\/(openapi|site)\//.test(path),
  );
  const found = (look: (text: string) => string[]) =>
    functions.flatMap(({ path, text }) => look(text).map((what) => `${path}: ${what}`));

  it('is AWS, where the environment says that it is, and addresses that a caller gave by one sender', () => {
    const sender = [
      'shared/outbound/request.ts: import { Resolver } from node:dns/promises',
      'shared/outbound/request.ts: import { Agent as HttpAgent, request as httpRequest } from node:http',
      'shared/outbound/request.ts: import { Agent as HttpsAgent, request as httpsRequest } from node:https',
    ];
    // DynamoDB on one machine: `DYNAMODB_ENDPOINT`. The heartbeat calls the stage itself: `HEALTH_URL`.
    // It finds the stores when bundles are made, and is in none.
    const loading = ['import { globSync } from node:fs', 'import { pathToFileURL } from node:url', 'import(…)'];
    const atBuild = loading.map((what) => `functions/all-entities.ts: ${what}`);
    // The SDK chooses, by its own settings.
    const sdkChooses = ['endpoints.ts', 'lean-client.ts'].flatMap((file) =>
      Array<string>(3).fill(`packages/lean-dynamodb/src/${file}: endpoint`),
    );
    expect(found(waysOut)).toEqual([
      ...sdkChooses,
      // The bucket: `ATTACHMENTS_URL`.
      'packages/lean-dynamodb/src/s3.ts: import { Sha256 } from @smithy/core/checksum',
      'packages/lean-dynamodb/src/s3.ts: import { NodeHttpHandler } from @smithy/node-http-handler',
      'packages/lean-dynamodb/src/s3.ts: import { SignatureV4 } from @smithy/signature-v4',
      'packages/lean-dynamodb/src/service.ts: import { NodeHttpHandler } from @smithy/node-http-handler',
      // Calls nothing: the domain of a mail address as DNS has it.
      'shared/contract/mail-address.ts: import { domainToASCII } from node:url',
      ...sender,
      'shared/table/connection/client.ts: endpoint',
      ...atBuild,
      'functions/heartbeat/handler.ts: fetch',
    ]);
    expect(functions.find(({ path }) => path === 'functions/heartbeat/handler.ts')?.code).toContain(
      'const url = process.env.HEALTH_URL;',
    );
    expect(functions.find(({ path }) => path === 'shared/table/connection/client.ts')?.code).toContain(
      '{ endpoint: process.env.DYNAMODB_ENDPOINT }',
    );
  });

  it.each([
    'export const run = async ({ body }: any) => (await fetch(body.url)).text();',
    `const { "fetch": get } = globalThis; get(body.url);`,
    `const allRoutes = '/*/*'; await fetch(body.url); /* here a comment would have ended */`,
    `import { request } from 'node:https';`,
    `import http from 'http';`,
    `import { isIPv6, connect } from 'node:net';`,
    `import * as net from 'node:net';`,
    `export * from 'node:dns/promises';`,
    `import 'undici';`,
    `import axios from 'axios';`,
    `const { get } = await import('node:https');`,
    `await import(body.module);`,
    `await import('node:' + 'https');`,
    `const tls = require('node:tls');`,
    `process.getBuiltinModule('node:https').get(body.url);`,
    'new WebSocket(body.url);',
    'new EventSource(body.url);',
    `import { createRemoteJWKSet } from 'jose';`,
    `const client = new DynamoDBClient({ endpoint: body.url });`,
  ])('is told of %s', (text) => {
    expect(waysOut(text)).not.toEqual([]);
  });

  it.each([
    `// fetch(body.url)\nimport { isIPv6 } from 'node:net';`,
    `import type { Agent } from 'node:https';`,
    `import { GetCommand } from '@aws-sdk/lib-dynamodb'; export { GetCommand };`,
    `const { route } = await import('./route.ts');`,
    `class Work { require(key: string) { return records.require(key); } }`,
  ])('may be in the code: %s', (text) => {
    expect(waysOut(text)).toEqual([]);
  });

  it('is no clock but the one that is passed in', () => {
    expect(found(looksAtClock)).toEqual([
      // How long a call took, of which nothing is dated.
      'packages/lean-dynamodb/src/steps.ts: Date.now',
      'packages/lean-dynamodb/src/steps.ts: Date.now',
      'shared/clock.ts: Date.now',
    ]);
    for (const text of ['Date.now()', 'new Date()', 'new Date', 'Date()', 'const { now } = Date; Date["now"]()']) {
      expect(looksAtClock(text), text).not.toEqual([]);
    }
    expect(looksAtClock('new Date(session.now).toISOString(); Date.parse(text); // new Date()')).toEqual([]);
  });

  it('is the log by one logger, which knows what not to say', () => {
    expect(forbidden(sources, (name) => name === '@aws-lambda-powertools/logger')).toEqual([
      'shared/telemetry/logger.ts → @aws-lambda-powertools/logger',
    ]);
    // The access line is no message: it must not depend on the log level.
    expect(saying(functions, /\bconsole\.|process\.std(out|err)/)).toEqual(['shared/telemetry/invocation.ts']);
  });
});

describe('what people read on a terminal', () => {
  const programs = [...within('bin/'), ...within('operator/'), ...within('local/')];

  it('leaves by one file, which escapes it', () => {
    expect(
      saying(programs, /\bconsole\.|std(out|err)\b.*\bwrite\b|\.write\(.*\bstd(out|err)\b|createInterface/),
    ).toEqual(['local/terminal/output.ts']);
    // They escape texts themselves, for any given stream.
    expect(saying(programs, /\bstream\.write\(/)).toEqual(['local/terminal/log.ts', 'local/terminal/progress.ts']);
    expect(saying(within('local/terminal/'), /\bescaped\(|\.map\(escaped\)/)).toEqual([
      'local/terminal/log.ts',
      'local/terminal/output.ts',
      'local/terminal/progress.ts',
    ]);
  });

  it('is no JSON that another function makes', () => {
    const printing = [...within('bin/'), ...within('operator/')].filter(({ path }) => !storage.test(path));
    expect(saying(printing, /JSON\.stringify/)).toEqual([
      'operator/aws.ts',
      'operator/doctor/account.ts',
      'operator/doctor/doctor.ts',
    ]);
  });
});
