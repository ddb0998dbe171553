import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { codeCacheOf } from './script.ts';

/**
 * Writes the code caches of all scripts in the directories that are named. The Node for which they are runs it
 * (`bundle.ts`).
 */
for (const directory of process.argv.slice(2)) {
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.cjs'))) {
    const filename = join(directory, file);
    // All functions, not only those that run when the script is loaded: a first request needs many more.
    setFlagsFromString('--no-lazy');
    const script = new Script(readFileSync(filename, 'utf8'), { filename });
    // V8 takes no cache that was made with other flags.
    setFlagsFromString('--lazy');
    writeFileSync(codeCacheOf(filename), script.createCachedData());
  }
}
