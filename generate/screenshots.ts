import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { readSettings } from '../local/settings.ts';
import { startLocalApi } from '../local/start.ts';

/**
 * `npm run docs:screenshots`: pictures of the documentation, at three widths, light and dark, in
 * `docs/screenshots/`. They are for people; `test/browser/docs.slow.test.ts` tests the pages.
 */

const FOLDER = join(import.meta.dirname, '../docs/screenshots');

/** Quality of a JPEG, up to 100: code stays legible, and all pictures together take about 1 MB. */
const QUALITY = 40;

const PAGES = {
  quickstart: '/docs',
  reference: '/docs/reference',
  operation: '/docs/reference#createTicket',
};

const SIZES = [
  { width: 1440, height: 900 },
  { width: 820, height: 1100 },
  { width: 390, height: 844 },
];

const api = await startLocalApi(readSettings({ PORT: '0', DATA_DIR: ':memory:' }));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
await mkdir(FOLDER, { recursive: true });
for (const viewport of SIZES) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport, colorScheme });
    for (const [name, path] of Object.entries(PAGES)) {
      const page = await context.newPage();
      await page.goto(`${api.url}/api/v1${path}`);
      const picture = await page.screenshot({ type: 'jpeg', quality: QUALITY, animations: 'disabled' });
      const file = `${name}-${viewport.width}-${colorScheme}.jpg`;
      await writeFile(join(FOLDER, file), picture);
      console.log(`docs/screenshots/${file}: ${Math.round(picture.length / 1_000)} KB`);
      await page.close();
    }
    await context.close();
  }
}
await browser.close();
await api.close();
