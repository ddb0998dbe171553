import { type Asset, assetOf, repositoryFile } from './file.ts';

/** The scripts in `browser/`, which are served as they are but for the names of what they import. */

const made = new Map<string, Promise<Asset>>();

/** `login` is `browser/login.js`. It imports others by their names with digests. */
export function script(name: string): Promise<Asset> {
  const asset = made.get(name) ?? load(name);
  made.set(name, asset);
  return asset;
}

/** Those that were asked for, and what they import. */
export const allScripts = (): Promise<readonly Asset[]> => Promise.all(made.values());

async function load(name: string): Promise<Asset> {
  const text = await repositoryFile(`functions/docs/browser/${name}.js`);
  const imports = Array.from(text.matchAll(/ from '\.\/([\w-]+)\.js';/g), ([, imported = '']) => imported);
  const assets = await Promise.all(imports.map(script));
  return assetOf(
    name,
    'js',
    imports.reduce((rest, imported, index) => rest.replace(`./${imported}.js`, `./${assets[index]?.name}`), text),
  );
}
