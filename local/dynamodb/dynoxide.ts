import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DATA_FILES, type Engine, type FoundEngine } from './engine.ts';

/**
 * Ends the engine when standard input does, as dynoxide does not watch its parent; by builtins only, so that no further
 * process is left. One thread: the database takes one call at a time, and threads would wake each other for every call.
 */
const UNTIL_STDIN_ENDS = `
exec 3<&0 </dev/null
TOKIO_WORKER_THREADS=1 "$@" 3<&- &
engine=$!
{ read -r _ <&3; kill "$engine"; } 2>/dev/null &
guard=$!
exec 3<&-
wait "$engine"
status=$?
kill "$guard" 2>/dev/null
exit "$status"
`;

/** The static binary of the optional dependency `@dynoxide/linux-x64`. */
export const findDynoxide = async (): Promise<FoundEngine> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { missing: 'its binary is for Linux on x64' };
  try {
    const manifest = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json');
    return dynoxide(join(dirname(manifest), 'dynoxide'));
  } catch {
    return { missing: 'the npm package @dynoxide/linux-x64 is not installed' };
  }
};

const dynoxide = (binary: string): Engine => ({
  name: 'dynoxide',
  announcement: /listening on http:\/\/127(?:\.\d{1,3}){3}:(\d{1,5})/,
  portTaken: /already in use/,
  // It responds to pages of all origins, with any access key and `Host`. So it listens on a random one of Linux's 16
  // million loopback addresses, where no page can find it.
  host: () => ['127', randomInt(256), randomInt(256), randomInt(1, 255)].join('.'),
  command: ({ directory, host, freePort }) => {
    const serve = [binary, 'serve', '--host', host, '--port', String(freePort)];
    const database = directory === undefined ? [] : ['--db-path', join(directory, DATA_FILES.dynoxide)];
    return { file: '/bin/sh', args: ['-c', UNTIL_STDIN_ENDS, 'dynoxide', ...serve, ...database] };
  },
});
