import { type Browser, chromium } from 'playwright-core';
import { isExecutable } from '../support/executable.ts';
import { PATIENCE } from '../support/patience.ts';

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where this machine has a browser; `CHROMIUM` names another place. */
const executablePath = PLACES.find((path) => path !== undefined && isExecutable(path));

/** Why tests in a browser are skipped, for the name of their `describe`; undefined where they are run. */
export const noChromium: string | undefined =
  executablePath === undefined ? 'skipped: no Chromium on this machine. Install it, or name it in CHROMIUM' : undefined;

if (noChromium !== undefined) console.warn(noChromium);

/**
 * Chromium takes the last list of these alone, which replaces Playwright's: what asks servers elsewhere or waits is here, too.
 * The popups of the address bar have a process for each window, which nobody looks at.
 */
const WITHOUT = [
  'WebUIOmniboxPopup,WebUIOmniboxAimPopup',
  'AimEnabled,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PreconnectToSearch',
  'HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,PaintHolding,ThirdPartyStoragePartitioning',
  'AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose',
];

/** Starts it, once for each test file: it takes a second or two. Whoever does so closes it. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    timeout: PATIENCE,
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ['--no-sandbox', '--disable-background-networking', '--no-first-run', `--disable-features=${WITHOUT.join()}`],
  });
