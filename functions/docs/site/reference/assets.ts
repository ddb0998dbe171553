import { assetOf, repositoryFile } from '../file.ts';
import { script } from '../scripts.ts';

/** The files of the reference besides those that all pages have. */

export const referenceStyle = assetOf('reference', 'css', await repositoryFile('functions/docs/browser/reference.css'));

export const referenceScripts = await Promise.all(['search', 'languages', 'login', 'try-it'].map(script));
