import { referenceScripts, referenceStyle, type SitePage, siteStyle } from './file.ts';
import { htmlPageOf } from './layout.ts';
import { referencePage } from './reference/page.ts';

/** The reference, apart from the other pages: it is larger than all of them, and loaded when it is first asked for. */
export const reference: SitePage = htmlPageOf({
  name: 'reference',
  main: referencePage(),
  styles: [siteStyle, referenceStyle],
  scripts: referenceScripts,
});
