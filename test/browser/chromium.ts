import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where this machine has a browser; undefined where none was found, which is said aloud. `CHROMIUM` names another place. */
export const browserPath: string | undefined = PLACES.find((path) => path !== undefined && isExecutable(path));

if (browserPath === undefined)
  console.warn('SKIPPED: no Chromium on this machine. Install it, or name it in CHROMIUM.');

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts the browser. One for each test file: it takes a second or two. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(browserPath === undefined ? {} : { executablePath: browserPath }),
    args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
  });
