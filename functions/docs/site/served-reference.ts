import { referenceStyle, type SitePage, siteStyle } from './file.ts';
import { htmlPageOf } from './layout.ts';
import type { ReferencePage } from './reference/links.ts';
import { referenceScripts } from './scripts.ts';

/** A page of the reference as it is sent. */
export const servedReference = ({ title, main }: ReferencePage): SitePage =>
  htmlPageOf({
    name: 'reference',
    title,
    main,
    styles: [siteStyle, referenceStyle],
    scripts: referenceScripts,
  });
