import { type Asset, type SitePage, siteStyle } from './file.ts';
import { GUIDES, guidePage, guidesPage } from './guides.ts';
import { htmlPageOf, type PageName } from './layout.ts';
import { problemsPage } from './problems.ts';
import { quickstartPage } from './quickstart.ts';
import { common, signing } from './scripts.ts';
import { webhooksPage } from './webhooks.ts';

/**
 * The finished documentation. A bundle contains only the exports of this module, not the code that makes them
 * (`infra/bundling/static-modules.ts`), so exports are plain data.
 */

export { START } from './layout.ts';

const pageOf = (name: PageName, main: string, ...scripts: readonly Asset[]): SitePage =>
  htmlPageOf({ name, main, styles: [siteStyle], scripts: [common, ...scripts] });

const plainGuides = GUIDES.filter((name) => name !== 'webhooks');
const guides = await Promise.all(plainGuides.map(async (name) => [name, pageOf(name, await guidePage(name))] as const));

/** All pages but the reference (`reference.static.ts`). */
export const pages: Readonly<Partial<Record<string, SitePage>>> = {
  quickstart: pageOf('quickstart', await quickstartPage()),
  problems: pageOf('problems', problemsPage()),
  guides: pageOf('guides', await guidesPage()),
  ...Object.fromEntries(guides),
  webhooks: pageOf('webhooks', await webhooksPage(), signing),
};
