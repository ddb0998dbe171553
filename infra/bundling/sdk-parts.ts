import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** Files of the SDK that a bundle has in another form, by the end of their path. */
const REPLACED: Readonly<Record<string, string>> = {
  // A Lambda has no `~/.aws/config` and no `~/.aws/credentials`, and each client looks for both at its first call. Settings come from the
  // environment and from the client's own options.
  'shared-ini-file-loader/loadSharedConfigFiles.js': `
    export { CONFIG_PREFIX_SEPARATOR } from './constants';
    export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  // Asking whether a response is a `ReadableStream` makes Node load its web streams: 5 ms, and `node:https` returns none.
  'serde/util-stream/stream-type-check.js': `
    const isNamed = (value, name) => value?.constructor?.name === name;
    export const isReadableStream = (stream) => isNamed(stream, 'ReadableStream');
    export const isBlob = (blob) => isNamed(blob, 'Blob');`,
  // Whether a body is a stream of a file: none is, and asking makes Node load its streams of files, its promises of files and more (2 ms).
  'serde/util-body-length/calculateBodyLength.js': `
    export const calculateBodyLength = (body) => (typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0));`,
  // The global `crypto` is Node's Web Crypto, which is loaded for it.
  'serde/uuid/v4.js': `
    import { randomUUID } from 'node:crypto';
    export const bindV4 = () => () => randomUUID();`,
};

/** Leaves out of a bundle what the SDK loads or asks for and a Lambda does not have. */
export const sdkParts: Plugin = {
  name: 'sdk-parts',
  setup(build) {
    // Of its own description a client needs the version.
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
