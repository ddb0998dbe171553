import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { clients } from '../../functions/clients/contract.ts';
import { functionNames } from '../../infra/functions.ts';
import { isOfBackground } from '../../infra/rights.ts';
import { authorizerContext } from '../support/caller.ts';
import { proxyEventOf } from '../support/proxy-event.ts';
import type { DeployedFunction } from './account/functions.ts';
import { type BundleSize, bundleSize } from './bundle-size.ts';

const run = promisify(execFile);

/** The files of a function's bundle, with their texts. */
const filesOf = ({ assetPath }: DeployedFunction) =>
  readdirSync(assetPath).map((file) => ({ file, text: readFileSync(join(assetPath, file), 'utf8') }));

/** The words of the estimator of secrets (`functions/integrations/guesses.ts`), loaded when a caller supplies one. */
const isWordList = ({ file }: { readonly file: string }): boolean => file.startsWith('guesses-');

/**
 * What a function may load when it starts: KB of 1,000 bytes, and the source files that they are made of. A cold start
 * costs about as much as it loads (`docs/performance.md`), so this is as near above what is loaded as changes of a day
 * need.
 */
const BOUNDS: Readonly<Record<string, Pick<BundleSize, 'kilobytes' | 'modules'>>> = {
  authorizer: { kilobytes: 299, modules: 400 },
  alerts: { kilobytes: 568, modules: 556 },
  batch: { kilobytes: 596, modules: 571 },
  clients: { kilobytes: 479, modules: 501 },
  terminals: { kilobytes: 475, modules: 501 },
  mcp: { kilobytes: 645, modules: 585 },
  openapi: { kilobytes: 1125, modules: 485 },
  docs: { kilobytes: 450, modules: 500 },
  access: { kilobytes: 487, modules: 504 },
  logs: { kilobytes: 453, modules: 485 },
  tickets: { kilobytes: 521, modules: 520 },
  attachments: { kilobytes: 493, modules: 506 },
  trash: { kilobytes: 450, modules: 500 },
  'maintenance-windows': { kilobytes: 491, modules: 510 },
  users: { kilobytes: 526, modules: 520 },
  services: { kilobytes: 489, modules: 506 },
  resources: { kilobytes: 502, modules: 512 },
  'service-actions': { kilobytes: 490, modules: 506 },
  auth: { kilobytes: 519, modules: 530 },
  integrations: { kilobytes: 481, modules: 510 },
  'identity-providers': { kilobytes: 467, modules: 496 },
  orgs: { kilobytes: 462, modules: 492 },
  account: { kilobytes: 489, modules: 506 },
  audit: { kilobytes: 453, modules: 485 },
  events: { kilobytes: 467, modules: 490 },
  webhooks: { kilobytes: 605, modules: 575 },
  'well-known': { kilobytes: 451, modules: 500 },
  health: { kilobytes: 444, modules: 480 },
  'webhook-endpoints': { kilobytes: 501, modules: 515 },
  deliveries: { kilobytes: 423, modules: 475 },
  'delivery-wake-up': { kilobytes: 197, modules: 320 },
  'delivery-schedule': { kilobytes: 261, modules: 390 },
  'held-alerts': { kilobytes: 500, modules: 530 },
};

const ACME = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

/** Modules of Node that take milliseconds to load, and that are needed only for requests. */
const NEEDLESS =
  /NativeModule (internal\/fs\/(streams|promises)|timers\/promises|zlib|internal\/webstreams|internal\/crypto\/webcrypto)/;

/** A flag of Lambda's runtime, with which V8 takes no cache that was made without. */
const AS_LAMBDA = '--expose-gc';

/** Functions that build the schemas of their main operation when they start. */
const WITH_BODIES = contracts.filter(({ mainOperation }) => mainOperation !== undefined).map(({ name }) => name);

/** A bound far above the value is useless. */
const LEAST_PART = 0.9;

/** Requirements on the stack's bundles. Making them takes a while, so a test that deploys the stack passes them in. */
export function describeBundles(functions: () => ReadonlyMap<string, DeployedFunction>): void {
  describe('the bundles', () => {
    test('are those of the stack’s functions, and each has a bound', () => {
      const names = functionNames(contracts).toSorted();
      expect([...functions().keys()].toSorted()).toEqual(names);
      expect(Object.keys(BOUNDS).toSorted()).toEqual(names);
    });

    test('hold scripts, their code caches and no source maps, and look for no credentials and no configuration but their own', () => {
      const others =
        /fromSSO|fromIni|fromProcess|fromTokenFile|fromInstanceMetadata|credential_process|AWS_CONFIG_FILE/;
      for (const each of functions().values()) {
        for (const { file, text } of filesOf(each)) {
          expect(file).toMatch(/^index\.mjs$|\.cjs(\.\w+-v[\d.]+\.cache)?$/);
          expect(others.test(text), file).toBe(false);
        }
      }
    });

    test('a bundle imports nothing: Node’s modules are taken without ESM facades, all others are inside', async () => {
      const { metafile } = await build({
        entryPoints: [...functions().values()].flatMap((each) =>
          filesOf(each).flatMap(({ file }) => (/\.[cm]js$/.test(file) ? [join(each.assetPath, file)] : [])),
        ),
        bundle: true,
        platform: 'node',
        format: 'esm',
        write: false,
        metafile: true,
        outdir: tmpdir(),
        logLevel: 'silent',
      });
      const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
      expect(imports.filter(({ external }) => external)).toEqual([]);
    });

    test('the function that takes supplied secrets brings words to measure them with, in a file of their own, and no other does', () => {
      const bringing = [...functions()].filter(([, each]) => filesOf(each).some(isWordList));
      expect(bringing.map(([name]) => name)).toEqual(['integrations']);
    });

    test.each(Object.entries(BOUNDS))('%s loads no more than it may', (name, bound) => {
      const { assetPath = '' } = functions().get(name) ?? {};
      const size = bundleSize(assetPath, join(dirname(assetPath), 'bundles', name));
      for (const what of ['kilobytes', 'modules'] as const) {
        expect(size[what], what).toBeLessThanOrEqual(bound[what]);
        expect(size[what], `${what}: lower the bound`).toBeGreaterThan(bound[what] * LEAST_PART);
      }
    });

    test('a bundle loads outside of the project and exports its handler, with schemas where most requests have a body', async () => {
      // For those of the background nobody waits.
      const waitedFor = [...functions().values()].filter(({ name }) => !isOfBackground(name));
      const code = `
    const modules = ${JSON.stringify(waitedFor.map((each) => [each.module, each.export, WITH_BODIES.includes(each.name)]))};
    for (const [file, name, hasBody] of modules.toSorted(([, , one], [, , other]) => one - other)) {
      if (typeof (await import(file))[name] !== 'function') throw new Error(file);
      if ('__zod_globalRegistry' in globalThis !== hasBody) throw new Error('zod is evaluated by ' + file + ', or is not');
    }
    if ('CODE_CACHE' in process.env) throw new Error('a cache was not taken');
    const needless = process.moduleLoadList.filter((name) => ${NEEDLESS}.test(name));
    if (needless.length > 0) throw new Error(needless.join());`;
      const environment = functions().get('clients')?.environment ?? {};
      await run(process.execPath, [AS_LAMBDA, '--input-type=module', '-e', code], {
        cwd: tmpdir(),
        env: { ...environment },
      });
    });

    test('a list and a read need no schema, a parameter that is no UUID does', async () => {
      const { module, environment } = functions().get('clients') ?? {};
      const { getClient, listClients } = clients.routes;
      const caller = authorizerContext(ACME);
      const listing = proxyEventOf({ route: listClients, path: listClients.path, headers: {}, caller });
      const reading = (id: string) =>
        proxyEventOf({ route: getClient, path: getClient.path.replace('{id}', id), headers: {}, caller });
      const code = `
    const { handler } = await import(${JSON.stringify(module)});
    const context = { getRemainingTimeInMillis: () => 20_000 };
    const said = [];
    for (const event of ${JSON.stringify([listing, reading(ACME), reading('x')])}) {
      const { statusCode } = await handler(event, context);
      said.push([statusCode, '__zod_globalRegistry' in globalThis]);
    }
    console.log(JSON.stringify(said));`;
      const { TENANT_ROLE_ARN: _, ...withoutRole } = environment ?? {};
      const nobody = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:1', ...CREDENTIALS };
      const env = { ...withoutRole, ...nobody };
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: tmpdir(), env });
      // There is no table behind them.
      expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual([
        [503, false],
        [503, false],
        [400, true],
      ]);
    });
  });
}
