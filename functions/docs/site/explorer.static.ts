import { assetOf, repositoryFile } from './file.ts';

const packageFile = (name: string): Promise<string> => repositoryFile(`node_modules/rapidoc/${name}`);

/** RapiDoc as it comes (`docs/decisions/0145`), behind its license and those of what it contains: its own first line names a file that is not served. */
export const explorer = assetOf(
  'rapidoc',
  'js',
  `/*!\n${await packageFile('LICENSE.txt')}*/\n${await packageFile('dist/rapidoc-min.js.LICENSE.txt')}\n${await packageFile('dist/rapidoc-min.js')}`,
);
