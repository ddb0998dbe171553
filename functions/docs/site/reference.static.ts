import type { SitePage } from './file.ts';
import { htmlPageOf } from './layout.ts';
import { referenceScripts, referenceStyle } from './reference/assets.ts';
import { referencePage } from './reference/page.ts';
import { script } from './scripts.ts';
import { siteStyle } from './site-style.ts';

/** The reference, apart from the other pages: it is larger than all of them, and loaded when it is first asked for. */
export const reference: SitePage = htmlPageOf({
  name: 'reference',
  main: referencePage(),
  styles: [siteStyle, referenceStyle],
  scripts: [await script('site'), ...referenceScripts],
});
