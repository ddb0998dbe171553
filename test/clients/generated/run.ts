import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../../local/settings.ts';
import { startLocalApi } from '../../../local/start.ts';
import { checks } from './checks.ts';

/**
 * `npm run check:clients`: generates clients of `openapi.json` in several languages, compiles them, and runs the README's tour through some. It
 * downloads what it needs, unless `OFFLINE` is set; what is missing is said (`docs/clients.md`).
 */

const directory = mkdtempSync(join(tmpdir(), 'custodia-clients-'));
const api = await startLocalApi(readSettings({ PORT: '0', DATA_DIR: join(directory, 'data') }), {
  deliveries: false,
});
try {
  for (const [index, { name, missing, run }] of checks.entries()) {
    const reason = missing();
    if (reason !== undefined) {
      console.log(`SKIPPED  ${name}\n         ${reason}`);
      continue;
    }
    const folder = join(directory, String(index));
    mkdirSync(folder);
    try {
      await run(folder, api);
      console.log(`ok       ${name}`);
    } catch (error) {
      console.log(`FAILED   ${name}\n${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  }
} finally {
  await api.close();
  rmSync(directory, { recursive: true, force: true });
}
