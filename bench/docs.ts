import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withText } from '../generate/places.ts';

/** Writes figures into `docs/performance.md` and the plots beside it. */

const DOCS = join(import.meta.dirname, '../docs');

export async function writePerformance(place: string, tables: string, plot?: string): Promise<void> {
  const page = join(DOCS, 'performance.md');
  await writeFile(page, withText(await readFile(page, 'utf8'), `bench:${place}`, tables));
  if (plot !== undefined) await writeFile(join(DOCS, `${place}.svg`), plot);
}
