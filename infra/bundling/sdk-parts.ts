import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** Files of the SDK that a bundle replaces, by the end of their path. */
const REPLACED: Readonly<Record<string, string>> = {
  // A Lambda has no `~/.aws/config` and no `~/.aws/credentials`, but each client reads both at its first call. Settings
  // come from the environment and the client's options.
  'shared-ini-file-loader/loadSharedConfigFiles.js': `
    export { CONFIG_PREFIX_SEPARATOR } from './constants';
    export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  // DynamoDB has no event streams.
  '@smithy/core/dist-es/submodules/event-streams/index.js': `
    export {};`,
  // `node:https` returns no `ReadableStream`, and the check makes Node load its web streams (5 ms).
  'serde/util-stream/stream-type-check.js': `
    const isNamed = (value, name) => value?.constructor?.name === name;
    export const isReadableStream = (stream) => isNamed(stream, 'ReadableStream');
    export const isBlob = (blob) => isNamed(blob, 'Blob');`,
  // No body is a file stream, and the check makes Node load `fs` streams, `fs` promises and more (2 ms).
  'serde/util-body-length/calculateBodyLength.js': `
    export const calculateBodyLength = (body) =>
      (typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0));`,
  // Reading the global `crypto` loads Node's Web Crypto.
  'serde/uuid/v4.js': `
    import { randomUUID } from 'node:crypto';
    export const bindV4 = () => () => randomUUID();`,
};

/** Leaves out of a bundle the parts of the SDK that load or check for what a Lambda does not have. */
export const sdkParts: Plugin = {
  name: 'sdk-parts',
  setup(build) {
    // A client only needs the version from its `package.json`.
    build.onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[\w-]+[\\/]package\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify({ version: JSON.parse(await readFile(path, 'utf8')).version }),
      loader: 'json',
    }));
    for (const [path, contents] of Object.entries(REPLACED)) {
      const filter = new RegExp(`[\\\\/]${path.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]')}$`);
      build.onLoad({ filter }, () => ({ contents, loader: 'js' }));
    }
  },
};
