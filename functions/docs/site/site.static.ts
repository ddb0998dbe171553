import { type Asset, allScripts, referenceStyle, type SitePage, script, siteStyle } from './file.ts';
import { guidePage, guidesPage } from './guides.ts';
import { htmlPageOf, type PageName } from './layout.ts';
import { problemsPage } from './problems.ts';
import { quickstartPage } from './quickstart.ts';
import { webhooksPage } from './webhooks.ts';

/**
 * The finished documentation. A bundle contains only the exports of this module, not the code that makes them
 * (`infra/bundling/static-modules.ts`), so exports are plain data.
 */

export { START } from './layout.ts';

const styles = [siteStyle];
const common = await script('site');
const webhooks = await script('webhooks');

const PLAIN_GUIDES = ['pagination', 'errors', 'retries', 'batch', 'rate-limits', 'events', 'changelog'] as const;
const plainGuides = Object.fromEntries(
  await Promise.all(
    PLAIN_GUIDES.map(
      async (name) => [name, htmlPageOf({ name, main: await guidePage(name), styles, scripts: [common] })] as const,
    ),
  ),
) as Record<(typeof PLAIN_GUIDES)[number], SitePage>;

/** All files of the pages. */
export const assets: readonly Asset[] = [siteStyle, referenceStyle, ...(await allScripts())];

/** All pages but the reference (`reference.static.ts`). */
export const pages: Readonly<Partial<Record<string, SitePage>>> = {
  quickstart: htmlPageOf({ name: 'quickstart', main: await quickstartPage(), styles, scripts: [common] }),
  problems: htmlPageOf({ name: 'problems', main: problemsPage(), styles, scripts: [common] }),
  guides: htmlPageOf({ name: 'guides', main: await guidesPage(), styles, scripts: [common] }),
  ...plainGuides,
  webhooks: htmlPageOf({ name: 'webhooks', main: await webhooksPage(), styles, scripts: [common, webhooks] }),
} satisfies Record<Exclude<PageName, 'reference'>, SitePage>;
