import { transformSync } from 'esbuild';

/** Ways by which code can reach network addresses and the machine's clock. */

const transformed = new Map<string, string>();

/** TypeScript as it runs: without types and comments, spelled in one way. */
function asItRuns(text: string): string {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  const code = transformed.get(text) ?? transformSync(text, { loader: 'ts', legalComments: 'none', tsconfigRaw }).code;
  transformed.set(text, code);
  return code;
}

/** Packages and modules of Node that the functions import. None calls an address that it is given, but for what {@link NAMES} forbids. */
const MODULES: ReadonlySet<string> = new Set([
  '@aws-lambda-powertools/logger',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/util-dynamodb',
  '@aws-sdk/xml-builder',
  '@custodia/counted-lists',
  '@custodia/counted-lists/maintenance',
  '@custodia/lean-dynamodb',
  '@middy/core',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  '@smithy/core/endpoints',
  '@smithy/core/protocols',
  '@smithy/core/retry',
  '@smithy/core/schema',
  'jose',
  'marked',
  'node:async_hooks',
  'node:buffer',
  'node:crypto',
  'node:fs/promises',
  'node:path',
  'node:timers/promises',
  'node:util',
  'node:zlib',
  'uuid',
  'zod',
  'zod-openapi',
]);

/** Of these modules some names, which call nobody. */
const PARTS: Readonly<Record<string, RegExp>> = {
  '@aws-sdk/core/client': /^\{ (EndpointError, )?partition \}$/,
  '@smithy/core/client': /^\{ ServiceException \}$/,
  'node:net': /^\{ (isIP(v[46])?|BlockList)(, (isIP(v[46])?|SocketAddress))* \}$/,
};

/** Ways out that need no import, or hide one, and those of the libraries above. */
const NAMES =
  /\b(fetch|customFetch|createRemoteJWKSet|XMLHttpRequest|WebSocket|WebSocketStream|EventSource|WebTransport|sendBeacon|globalThis|global|eval|Function|getBuiltinModule|binding|dlopen|createRequire)\b/g;

/** Where a client of AWS is told to call. Other code has endpoints of webhooks. */
const CLIENTS = /Client\b|\btableOf\b|@smithy\//;
const ENDPOINT = /\bendpoint\b/g;

const STATIC = /(?:^|[;}\s])(?:import|export)\s+(?:([^'";]*?)\s*from\s*)?["']([^"']+)["']/g;
const DYNAMIC = /\bimport\s*\(\s*(?:["']([^"']+)["']\s*[,)])?/g;
/** A call, not the definition of a method of that name. */
const REQUIRE = /(?<![.\w])require\s*\((?![^)]*\)\s*\{)/g;

/** By what a source file might reach an address. */
export function waysOut(text: string): string[] {
  const code = asItRuns(text);
  const imported = Array.from(code.matchAll(STATIC), ([, names = '', module = '']) =>
    isHarmless(module, names) ? [] : [`import ${names} from ${module}`],
  );
  const loaded = Array.from(code.matchAll(DYNAMIC), ([, module]) =>
    module !== undefined && isHarmless(module, '*') ? [] : [`import(${module ?? '…'})`],
  );
  const names = CLIENTS.test(code) ? [NAMES, ENDPOINT] : [NAMES];
  const named = names.flatMap((pattern) => Array.from(code.matchAll(pattern), ([name]) => name));
  const required = Array.from(code.matchAll(REQUIRE), () => 'require');
  return [...imported.flat(), ...loaded.flat(), ...named, ...required];
}

const isHarmless = (module: string, names: string): boolean =>
  /^[.#]/.test(module) || MODULES.has(module) || (PARTS[module]?.test(names) ?? false);

/** Where a source file asks the machine for the time. */
export const looksAtClock = (text: string): string[] =>
  Array.from(
    asItRuns(text).matchAll(/\bDate\s*\.\s*now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(|\bTemporal\.Now\b|\bDate\s*\[/g),
    ([found]) => found,
  );
