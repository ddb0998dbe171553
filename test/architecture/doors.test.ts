import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doors, sources } from './sources.ts';

/** Libraries have a door: nothing outside imports past it (`docs/decisions/0001`). */

const ROOT = join(import.meta.dirname, '../..');

/** Past a door: from outside a library into one of its files. */
const pastDoor = (library: string, door: string) =>
  sources.flatMap(({ path, imports }) =>
    path.startsWith(`${library}/`)
      ? []
      : imports.filter((name) => name.startsWith(`${library}/`) && name !== door).map((name) => `${path} → ${name}`),
  );

describe.each(Object.entries(doors))('%s', (_, door) => {
  const library = dirname(door);

  it('is the only way in', () => {
    expect(sources.some(({ imports }) => imports.includes(door))).toBe(true);
    expect(pastDoor(library, door)).toEqual([]);
  });
});

it('no library is without a door', () => {
  const libraries = globSync('shared/*/', { cwd: ROOT }).toSorted();
  expect(libraries.filter((folder) => !existsSync(join(ROOT, folder, 'index.ts')))).toEqual([]);
  const exported = Object.values(doors).map((door) => readFileSync(join(ROOT, door), 'utf8'));
  expect(exported.filter((text) => text.includes('export *'))).toEqual([]);
});
