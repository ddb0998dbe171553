import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRecords, documentFor, withoutLines } from '../../fuzz/schemathesis.ts';
import { expectReceives } from '../receiver.ts';
import { environmentAt, expected, pythonProgram } from '../samples/programs.ts';
import { type Address, isThere, run } from './commands.ts';
import { MCP_CLIENT, MCP_CONFORMANCE, runMcpClient, runMcpConformance } from './mcp.ts';

/** What is made from the contracts, compiled and, where it can be, run against an API. */
export interface Check {
  readonly name: string;
  /** What is missing on this machine, and how to get it; undefined: nothing. */
  readonly missing: () => string | undefined;
  /** @throws Error when something does not compile or work. `folder` is empty and its own. */
  readonly run: (folder: string, api: Address) => Promise<void>;
}

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENT = join(ROOT, 'openapi.json');
const PACKAGE = join(ROOT, 'packages/client');
const TSC = join(PACKAGE, 'node_modules/typescript/bin/tsc');

const HEY_API = '@hey-api/openapi-ts@0.99.0';
const NEWMAN = 'newman@6.2.2';
const HTTPYAC = 'httpyac@6.16.7';
const PYTHON_CLIENT = 'openapi-python-client==0.29.1';
const HTTPX = 'httpx==0.28.1';
/** The part of Prometheus that reads its configuration of HTTP. */
const PROMETHEUS = 'github.com/prometheus/common@v0.67.4';
const REQUESTS_OAUTHLIB = 'requests-oauthlib==2.0.0';
const STANDARD_WEBHOOKS = 'standardwebhooks==1.1.0';
const SCHEMATHESIS = 'schemathesis==4.32.5';
/** They delete what others need, end the run's own token, or need credentials of their own. */
const NOT_FUZZED = [
  ...['--exclude-method', 'DELETE', '--exclude-operation-id-regex'],
  '^(revokeTokens|rotateSecret|updateIntegration|login|requestToken|receiveWebhook)$',
];
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const GENERATOR = 'OPENAPI_GENERATOR_JAR';
const GENERATOR_ARTIFACT = 'org.openapitools:openapi-generator-cli:7.17.0';

const STRICT = {
  ...{ target: 'ES2022', module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2022', 'DOM', 'DOM.Iterable'] },
  ...{ strict: true, noEmit: true, skipLibCheck: false, types: ['node'] },
};

const nothing = () => undefined;
const needsNetwork = () =>
  process.env.OFFLINE === undefined ? undefined : 'OFFLINE is set; it is downloaded from a registry of packages';
const needsGenerator = () =>
  !isThere('java', '-version')
    ? 'install Java 17 or later'
    : process.env[GENERATOR] === undefined && !isThere('mvn', '--version')
      ? `install Maven, or set ${GENERATOR} to the jar of ${GENERATOR_ARTIFACT}`
      : needsNetwork();
const needsPython = () => (isThere('python3', '--version') ? needsNetwork() : 'install Python 3.11 or later');
const needsGo = () => (isThere('go', 'version') ? needsNetwork() : 'install Go (https://go.dev/dl)');

async function compileStrictly(folder: string, include: readonly string[]): Promise<void> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, include }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await run(folder, process.execPath, [TSC, '-p', folder]);
}

async function generate(folder: string, language: string, properties: string): Promise<void> {
  const jars = join(folder, 'jars');
  const copy = ['-q', 'dependency:copy', `-Dartifact=${GENERATOR_ARTIFACT}`, `-DoutputDirectory=${jars}`];
  const given = process.env[GENERATOR];
  if (given === undefined) await run(folder, 'mvn', copy);
  const jar = given ?? join(jars, readdirSync(jars)[0] ?? '');
  const options = ['-i', DOCUMENT, '-g', language, '-o', folder, `--additional-properties=${properties}`];
  await run(folder, 'java', ['-jar', jar, 'generate', ...options]);
}

/** A Python of the folder's own, with these packages. */
async function pythonWith(folder: string, ...packages: readonly string[]): Promise<string> {
  await run(folder, 'python3', ['-m', 'venv', 'venv']);
  const python = join(folder, 'venv/bin/python');
  await run(folder, python, ['-m', 'pip', 'install', '--quiet', ...packages]);
  return python;
}

export const checks: readonly Check[] = [
  {
    name: 'TypeScript, openapi-typescript 7.13 with openapi-fetch: compiled, tour run',
    missing: nothing,
    run: async (folder, { url }) => {
      const cli = join(PACKAGE, 'node_modules/openapi-typescript/bin/cli.js');
      await run(folder, process.execPath, [cli, DOCUMENT, '-o', join(folder, 'schema.ts')]);
      // With the types that were just made in place of the client's own.
      const tour = readFileSync(join(import.meta.dirname, 'tour.ts'), 'utf8');
      writeFileSync(join(folder, 'tour.ts'), tour.replace(/'[^']*\/schema\.ts'/, "'./schema.ts'"));
      await compileStrictly(folder, ['*.ts']);
      await run(folder, process.execPath, ['tour.ts'], { API: url });
    },
  },
  {
    name: `TypeScript, ${HEY_API}: compiled`,
    missing: needsNetwork,
    run: async (folder) => {
      const packages = ['--package', 'typescript@5.9.3', '--package', HEY_API];
      const args = ['openapi-ts', '-i', DOCUMENT, '-o', 'out', '-c', '@hey-api/client-fetch'];
      await run(folder, 'npx', ['--yes', ...packages, ...args]);
      await compileStrictly(folder, ['out']);
    },
  },
  {
    name: 'Python, openapi-generator: compiled, imported, typed, tour run',
    missing: () => needsGenerator() ?? needsPython(),
    run: async (folder, { url }) => {
      await generate(folder, 'python', 'packageName=custodia_client');
      const python = await pythonWith(folder, '.', 'mypy', 'types-python-dateutil');
      await run(folder, python, ['-m', 'compileall', '-q', 'custodia_client']);
      await run(folder, python, ['-m', 'mypy', '-p', 'custodia_client']);
      copyFileSync(join(import.meta.dirname, 'tour.py'), join(folder, 'tour.py'));
      await run(folder, python, ['tour.py'], { API: url });
    },
  },
  {
    name: `Python, ${PYTHON_CLIENT}: every operation, typed, tour typed and run`,
    missing: needsPython,
    run: async (folder, { url }) => {
      const python = await pythonWith(folder, PYTHON_CLIENT, 'mypy', 'ruff');
      const document = join(folder, 'openapi.json');
      writeFileSync(document, JSON.stringify(withoutLines(JSON.parse(readFileSync(DOCUMENT, 'utf8')))));
      // It leaves out with a warning what it cannot generate.
      const options = ['--meta', 'none', '--fail-on-warning', '--output-path', 'custodia_api_client'];
      const PATH = `${join(folder, 'venv/bin')}:${process.env.PATH}`;
      await run(folder, 'openapi-python-client', ['generate', '--path', document, ...options], { PATH });
      copyFileSync(join(import.meta.dirname, 'tour_openapi_python_client.py'), join(folder, 'tour.py'));
      // Without its own client.py, which has errors with today's httpx.
      const made = ['-p', 'custodia_api_client.models', '-p', 'custodia_api_client.api', '-m', 'tour'];
      await run(folder, python, ['-m', 'mypy', '--follow-imports=silent', ...made]);
      await run(folder, python, ['tour.py'], { API: url });
    },
  },
  {
    name: `Python, ${HTTPX}: the reference's samples run`,
    missing: needsPython,
    run: async (folder, { url, platform }) => {
      const python = await pythonWith(folder, HTTPX);
      const assertion = `assert said == ${JSON.stringify(expected)}, said`;
      writeFileSync(join(folder, 'samples.py'), `${pythonProgram()}\n${assertion}\n`);
      await run(folder, python, ['samples.py'], await environmentAt(url, platform));
    },
  },
  {
    name: `Python, ${STANDARD_WEBHOOKS}: the receiver of docs/events.md run`,
    missing: needsPython,
    run: async (folder) => {
      await expectReceives(await pythonWith(folder, STANDARD_WEBHOOKS), join(ROOT, 'examples/receive_events.py'));
    },
  },
  {
    name: `Python, ${REQUESTS_OAUTHLIB}: tokens by Basic and in the body`,
    missing: needsPython,
    run: async (folder, { url, platform }) => {
      const python = await pythonWith(folder, REQUESTS_OAUTHLIB);
      const program = join(import.meta.dirname, 'oauth_tokens.py');
      const { appCode: APP, secret: SECRET } = platform;
      // Otherwise oauthlib refuses addresses without TLS.
      await run(folder, python, [program], { API: url, APP, SECRET, OAUTHLIB_INSECURE_TRANSPORT: '1' });
    },
  },
  {
    name: `Go, ${PROMETHEUS}: a token by the block oauth2`,
    missing: needsGo,
    run: async (folder, { url, platform }) => {
      copyFileSync(join(import.meta.dirname, 'prometheus_oauth2.go'), join(folder, 'main.go'));
      await run(folder, 'go', ['mod', 'init', 'example.com/scraper']);
      await run(folder, 'go', ['get', PROMETHEUS]);
      await run(folder, 'go', ['mod', 'tidy']);
      await run(folder, 'go', ['run', '.'], { API: url, APP: platform.appCode, SECRET: platform.secret });
    },
  },
  {
    name: 'Go, openapi-generator: compiled',
    missing: () => needsGenerator() ?? needsGo(),
    run: async (folder) => {
      await generate(folder, 'go', 'packageName=custodia');
      await run(folder, 'go', ['mod', 'tidy']);
      await run(folder, 'go', ['build', './...']);
    },
  },
  {
    name: 'Go, oapi-codegen v2.8.2: compiled',
    missing: needsGo,
    run: async (folder) => {
      mkdirSync(join(folder, 'custodia'));
      await run(folder, 'go', ['mod', 'init', 'example.com/custodia']);
      const target = join(folder, 'custodia/client.go');
      const options = ['-generate', 'types,client', '-package', 'custodia', '-o', target];
      await run(folder, 'go', ['run', OAPI_CODEGEN, ...options, DOCUMENT]);
      await run(folder, 'go', ['mod', 'tidy']);
      await run(folder, 'go', ['build', './...']);
      if (!readFileSync(target, 'utf8').includes('CreateTicket(')) throw new Error('the client has no CreateTicket');
    },
  },
  {
    name: `Collection, ${NEWMAN}: run twice`,
    missing: needsNetwork,
    run: async (folder, { url, platform }) => {
      const collection = join(ROOT, 'clients/custodia.postman_collection.json');
      const given = ['--env-var', `base_url=${url}`, '--env-var', `platform_secret=${platform.secret}`];
      await run(folder, 'npx', ['--yes', NEWMAN, 'run', collection, '-n', '2', ...given]);
    },
  },
  {
    name: `Collection, ${HTTPYAC}: run twice`,
    missing: needsNetwork,
    run: async (folder, { url, platform }) => {
      const collection = readFileSync(join(ROOT, 'clients/custodia.http'), 'utf8')
        .replace(/^@base_url = .*/m, `@base_url = ${url}`)
        .replace(/^@platform_secret = .*/m, `@platform_secret = ${platform.secret}`);
      writeFileSync(join(folder, 'custodia.http'), collection);
      const args = ['--yes', HTTPYAC, 'send', 'custodia.http', '--all', '--output', 'short'];
      for (let time = 0; time < 2; time++) await run(folder, 'npx', args);
    },
  },
  { name: `Agents, ${MCP_CLIENT}: three modes, over HTTP and the bridge`, missing: needsNetwork, run: runMcpClient },
  { name: `Agents, ${MCP_CONFORMANCE}: what applies`, missing: needsNetwork, run: runMcpConformance },
  {
    name: `Requests, ${SCHEMATHESIS}: as organization and as platform`,
    missing: needsPython,
    run: async (folder, { url, platform }) => {
      await pythonWith(folder, SCHEMATHESIS);
      const variables = await createRecords(url, platform.secret);
      const config = join(ROOT, 'test/fuzz/schemathesis.toml');
      const fuzz = async (caller: 'organization' | 'platform', token: string, ...options: readonly string[]) => {
        const file = join(folder, `${caller}.json`);
        writeFileSync(file, JSON.stringify(documentFor(JSON.parse(readFileSync(DOCUMENT, 'utf8')), variables, caller)));
        const given = ['--url', url, '-H', `Authorization: Bearer ${variables.get(token)}`, ...NOT_FUZZED, ...options];
        const fixed = ['--max-examples', '3', '--seed', '1', '--continue-on-failure', '--no-color'];
        await run(folder, join(folder, 'venv/bin/st'), ['--config-file', config, 'run', file, ...given, ...fixed]);
      };
      await fuzz('organization', 'token');
      // Without an organization's name the platform's own records are meant; links do not name one.
      const phases = ['--phases', 'examples,coverage,fuzzing', '--exclude-checks', 'negative_data_rejection'];
      await fuzz('platform', 'platform_token', ...phases);
    },
  },
];
