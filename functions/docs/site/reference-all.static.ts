import { wholeReference } from './reference/page.ts';
import { servedReference } from './served-reference.ts';

/** The reference on one page, apart from the others: it is larger than all of them. */
export const all = servedReference(wholeReference());
