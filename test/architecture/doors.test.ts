import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportsOf, modulesOf, namesIn, namesOf, reachableBy, textOf } from './door-names.ts';
import { doors, sources, sourcesIn } from './sources.ts';

/**
 * Libraries have a door: nothing outside imports past it (`docs/decisions/0191`). Tests may import files behind
 * other doors than those of lists and of the table, but must import a door's names from the door.
 */

const ROOT = join(import.meta.dirname, '../..');

/** The most names of a door: a dozen, or the number here. A new name is a decision, because others will use it. */
const A_DOZEN = 12;
const NAMES: Readonly<Record<string, number>> = {
  // What contracts are written in, the problems that operations throw, and what is derived from declarations.
  // With the errors of OAuth, and the address of its metadata.
  '#contract': 70,
  // The kinds of fields: one for each meaning.
  '#contract/field': 31,
  '#contract/parameter': 13,
  // With what restores a deleted record.
  '#http': 30,
  // With the observer of a table, what is wanted of lists, items by their keys, the request of an update by itself, and flags of the moment.
  // And deleted records that can be restored.
  '@custodia/counted-lists': 31,
  // What is stored of a number, of its writer's grace period, and of the periods in which records expire.
  // And their bits.
  '@custodia/counted-lists/maintenance': 17,
  // With the journal, its events, and the records that they are about; tables of tests are made as the service makes its own; pages, and what they are
  // asked for.
  // And the kinds of indexes, with which domains declare theirs.
  '#table': 46,
  // With uploads, and what can be restored.
  '#table/storage': 25,
  // Callers are integrations and users, each with what the authorizer passes on of it.
  '#identity': 17,
  '#auth': 18,
  '#tenancy': 47,
  // What an invocation, and a part of it, has used; and the metrics, which alarms and dashboards read.
  '#telemetry': 13,
};

/**
 * Imports past a door: from outside a library into one of its other files. A library may have a second door:
 * `@custodia/counted-lists/maintenance`.
 */
const pastDoor = (library: string, files = sources) =>
  files.flatMap(({ path, imports }) =>
    path.startsWith(`${library}/`)
      ? []
      : imports
          .filter((name) => name.startsWith(`${library}/`) && !Object.values(doors).includes(name))
          .map((name) => `${path} → ${name}`),
  );

/** Half a page; of what can be lifted out, with its promises, limits and use, more. */
const README_LINES: Readonly<Record<string, number>> = { 'packages/counted-lists/src': 200 };
const HALF_A_PAGE = 60;

describe.each(Object.entries(doors))('%s', (alias, door) => {
  const library = dirname(door);
  const page = join(library, library.endsWith('/src') ? '../README.md' : 'README.md');

  it('is a way in, and no file behind it is', () => {
    expect(sources.some(({ imports }) => imports.includes(door))).toBe(true);
    expect(pastDoor(library)).toEqual([]);
  });

  it('has few names', () => {
    expect(namesOf(door)).not.toEqual([]);
    expect(namesOf(door).length).toBeLessThanOrEqual(NAMES[alias] ?? A_DOZEN);
    expect(modulesOf(door).filter(({ path }) => exportsOf(path).length > A_DOZEN)).toEqual([]);
  });

  it('has a page of its library', () => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(README_LINES[library] ?? HALF_A_PAGE);
    expect(text).toMatch(/```|<img|!\[/);
  });
});

it.each([
  ['@custodia/counted-lists/maintenance', /^operator\/maintenance\//],
  [
    '#table/storage',
    /^(shared\/tenancy|operator\/maintenance|functions\/(alerts|tickets\/attachments|events)\/state)\//,
  ],
])('%s, which shows how things are stored, is entered by few', (alias, allowed) => {
  const seeing = sources.filter(({ imports }) => imports.includes(doors[alias] ?? '')).map(({ path }) => path);
  expect(seeing.filter((path) => !allowed.test(path))).toEqual([]);
});

it.each(['packages/counted-lists/src', 'shared/table'])(
  'tests, benchmarks and generators enter %s by its doors',
  (library) => {
    expect(pastDoor(library, sourcesIn('{test,bench,generate}/**'))).toEqual([]);
  },
);

it('tests take from a door what it has', () => {
  const librariesOf = (path: string) =>
    Object.values(doors).filter((door) => door !== path && path.startsWith(`${dirname(door)}/`));
  const imported = sourcesIn('test/**').flatMap(({ path, code }) =>
    Array.from(code.matchAll(/import (?:type )?\{([^}]*)\} from '(\.[^']+)'/g), ([, names = '', from = '']) => {
      const known = librariesOf(join(dirname(path), from)).flatMap(reachableBy);
      return namesIn(names).flatMap((name) => (known.includes(name) ? [`${path}: ${name}`] : []));
    }).flat(),
  );
  expect(imported).toEqual([]);
});

it('no library is without a door', () => {
  const libraries = globSync('shared/*/', { cwd: ROOT }).toSorted();
  expect(libraries.filter((folder) => !existsSync(join(ROOT, folder, 'index.ts')))).toEqual([]);
  const exported = Object.values(doors).map(textOf);
  // Each name is written down.
  expect(exported.filter((text) => /^export (default|\*(?! as ))/m.test(text))).toEqual([]);
});
