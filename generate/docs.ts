import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contracts } from '../functions/all-contracts.ts';
import { documentText, openApiDocument } from '../functions/docs/openapi/document.ts';
import { findEngine } from '../local/dynamodb/choose.ts';
import { clientCalls } from '../packages/client/generate/calls-file.ts';
import { clientTypes } from '../packages/client/generate/schema.ts';
import { withCeilings } from './ceilings/ceilings.ts';
import { collected, httpFile, postmanCollection } from './collections.ts';
import { measureOperations } from './data-model/measure.ts';
import { withFilters, withMeasured } from './data-model/page.ts';
import { withCommands } from './operator.ts';
import { withContracts } from './specification/page.ts';

/**
 * `npm run docs`: generates all files of this repository that derive from the code, in less than a minute. `npm run
 * bench -- pages` takes many minutes and its figures vary, so it is run when the lists change
 * (`docs/counted-lists.md`). `npm run docs -- --without-measuring` leaves out what is measured, most of the time.
 */

const ROOT = join(import.meta.dirname, '..');

/** Writes a file, and returns whether it has changed. */
async function make(file: string, change: (text: string) => string | Promise<string>, note = ''): Promise<void> {
  const path = join(ROOT, file);
  const before = await readFile(path, 'utf8');
  const after = await change(before);
  if (after !== before) await writeFile(path, after);
  console.log(`${file}: ${after === before ? 'unchanged' : 'written'}${note}`);
}

/** What only dynoxide counts as AWS does, which runs on Linux on x64: elsewhere these tables stay as they are. */
async function makeMeasured(): Promise<void> {
  const engine = await findEngine('dynoxide');
  if ('missing' in engine) {
    console.error(`docs/data-model.md and docs/counted-lists.md: not measured, because ${engine.missing}.`);
    return;
  }
  const measured = await measureOperations();
  await make('docs/data-model.md', (page) => withMeasured(page, measured));
  await make('docs/counted-lists.md', (page) => withCeilings(page, measured), ' (ceilings)');
}

const openapi = documentText(openApiDocument(contracts));
await make('openapi.json', () => openapi);
await make('packages/client/src/schema.ts', () => clientTypes(JSON.parse(openapi)));
await make('packages/client/src/calls.ts', () => clientCalls(JSON.parse(openapi)));
await make('clients/custodia.http', () => httpFile(collected(contracts)));
await make('clients/custodia.postman_collection.json', () => postmanCollection(collected(contracts)));
await make('docs/specification.md', withContracts);
await make('docs/operations.md', withCommands);
await make('docs/data-model.md', withFilters, ' (filters)');
if (!process.argv.includes('--without-measuring')) await makeMeasured();
