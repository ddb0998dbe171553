import { type Asset, allScripts, referenceStyle, siteStyle } from './file.ts';
// Makes the scripts.
import './scripts.ts';

/** All files of the pages, apart from these: they are loaded when one is first asked for. */
export const assets: readonly Asset[] = [siteStyle, referenceStyle, ...(await allScripts())];
