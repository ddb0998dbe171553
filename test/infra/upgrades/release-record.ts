import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesize } from '../synthesize.ts';
import { RECORDED, recordOf, textOf } from './record.ts';

/**
 * `npm run release-record`: records what this release deploys, so that later releases can be compared with it. Run it
 * only with a new version in package.json: a record that always follows the stack would be useless.
 */

const ROOT = join(import.meta.dirname, '../../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
const record = recordOf(synthesize({ context: RECORDED }), version);
writeFileSync(join(ROOT, 'infra/released.json'), textOf(record));
console.log(
  `infra/released.json: ${Object.values(record.stacks).flatMap(({ Resources }) => Object.keys(Resources)).length} resources of release ${version}`,
);
