import type { SitePage } from './file.ts';
import { referencePages } from './reference/page.ts';
import { servedReference } from './served-reference.ts';

/** The pages of the reference by their names. They are loaded when one is first asked for. */
export const reference: Readonly<Record<string, SitePage>> = Object.fromEntries(
  referencePages().map((page) => [page.name, servedReference(page)]),
);
