import { assetOf, repositoryFile } from './file.ts';

const packageFile = (name: string): Promise<string> => repositoryFile(`node_modules/rapidoc/${name}`);

/**
 * RapiDoc unchanged (`docs/decisions/0145`), after its license and those of its parts: its own first line names a file
 * that is not served.
 */
export const explorer = assetOf(
  'rapidoc',
  'js',
  `/*!\n${await packageFile('LICENSE.txt')}*/\n${await packageFile('dist/rapidoc-min.js.LICENSE.txt')}\n${await packageFile('dist/rapidoc-min.js')}`,
);
