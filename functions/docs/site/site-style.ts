import { assetOf, repositoryFile } from './file.ts';

/** The style of all pages. */
export const siteStyle = assetOf('site', 'css', await repositoryFile('functions/docs/browser/site.css'));
