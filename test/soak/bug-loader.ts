import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { BUGS, type Bug } from './bugs.ts';

/**
 * Puts a bug into the sources of the process that is started with this (`node --import bug-loader.ts?<name>`), as they are loaded. The sources on
 * disk, and other processes, do not have it.
 * @throws Error when the source is not there any more: a bug that is not put in cannot be found
 */
const name = decodeURIComponent(new URL(import.meta.url).search.slice(1));
const bug = BUGS.find((each) => each.name === name);
if (bug === undefined) throw new Error(`there is no bug ${name}`);
const source = new URL(`../../${bug.file}`, import.meta.url);
const spoiled = spoil(readFileSync(source, 'utf8'), bug);

registerHooks({
  load: (url, context, nextLoad) =>
    url === source.href ? { format: 'module-typescript', source: spoiled, shortCircuit: true } : nextLoad(url, context),
});

function spoil(text: string, { name, from, to }: Bug): string {
  if (text.split(from).length !== 2)
    throw new Error(`${name}: ${fileURLToPath(source)} does not contain once: ${from}`);
  return text.replace(from, () => to);
}
