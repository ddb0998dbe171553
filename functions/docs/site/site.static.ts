import { explorer } from './explorer.static.ts';
import { type Asset, assetOf, repositoryFile, type SitePage } from './file.ts';
import { guidesPage } from './guides.ts';
import { htmlPageOf, type PageName } from './layout.ts';
import { problemsPage } from './problems.ts';
import { quickstartPage } from './quickstart.ts';
import { referencePage } from './reference.ts';
import { allScripts, script } from './scripts.ts';
import { webhooksPage } from './webhooks.ts';

/**
 * The finished documentation. A bundle contains only the exports of this module, not the code that makes them
 * (`infra/bundling/static-modules.ts`), so exports are plain data.
 */

export { START } from './layout.ts';

const browserFile = (name: string): Promise<string> => repositoryFile(`functions/docs/browser/${name}`);

const style = assetOf('site', 'css', await browserFile('site.css'));
const common = await script('site');
const reference = await script('reference');
const webhooks = await script('webhooks');
// For the static reference.
await Promise.all(['login', 'try-it'].map(script));

/** All files of the pages but one, which is large. */
export const assets: readonly Asset[] = [style, ...(await allScripts())];

export const explorerName: string = explorer.name;

export const pages: Readonly<Partial<Record<string, SitePage>>> = {
  quickstart: htmlPageOf({ name: 'quickstart', main: await quickstartPage(), style, scripts: [common] }),
  reference: htmlPageOf({
    name: 'reference',
    main: referencePage(),
    style,
    scripts: [common, reference, explorer],
    inlineStyles: true,
  }),
  problems: htmlPageOf({ name: 'problems', main: problemsPage(), style, scripts: [common] }),
  guides: htmlPageOf({ name: 'guides', main: await guidesPage(), style, scripts: [common] }),
  webhooks: htmlPageOf({ name: 'webhooks', main: await webhooksPage(), style, scripts: [common, webhooks] }),
} satisfies Record<PageName, SitePage>;
