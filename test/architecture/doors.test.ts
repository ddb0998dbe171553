import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doors, sources } from './sources.ts';

/** Libraries have a door: nothing outside imports past it (`docs/decisions/0191`). */

const ROOT = join(import.meta.dirname, '../..');

/** Past the doors: from outside a library into one of its other files. A library may have a second door: `#lists/maintenance`. */
const pastDoor = (library: string) =>
  sources.flatMap(({ path, imports }) =>
    path.startsWith(`${library}/`)
      ? []
      : imports
          .filter((name) => name.startsWith(`${library}/`) && !Object.values(doors).includes(name))
          .map((name) => `${path} → ${name}`),
  );

describe.each(Object.entries(doors))('%s', (_, door) => {
  const library = dirname(door);

  it('is a way in, and no file behind it is', () => {
    expect(sources.some(({ imports }) => imports.includes(door))).toBe(true);
    expect(pastDoor(library)).toEqual([]);
  });
});

it('what lists are made of is seen by maintenance alone', () => {
  const seeing = sources.filter(({ imports }) => imports.includes(doors['#lists/maintenance'] ?? ''));
  expect(seeing.map(({ path }) => path).filter((path) => !path.startsWith('shared/maintenance/'))).toEqual([]);
});

it('no library is without a door', () => {
  const libraries = globSync('shared/*/', { cwd: ROOT }).toSorted();
  expect(libraries.filter((folder) => !existsSync(join(ROOT, folder, 'index.ts')))).toEqual([]);
  const exported = Object.values(doors).map((door) => readFileSync(join(ROOT, door), 'utf8'));
  expect(exported.filter((text) => text.includes('export *'))).toEqual([]);
});
