import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Entity } from '#table';

const FUNCTIONS = import.meta.dirname;

/** Every entity that a domain's `store.ts` exports, in order of their names. A new domain need not be named here. */
export async function declaredEntities(): Promise<readonly Entity[]> {
  const files = globSync('*/store.ts', { cwd: FUNCTIONS }).map((file) => pathToFileURL(join(FUNCTIONS, file)).href);
  const modules = await Promise.all(files.map((file): Promise<Readonly<Record<string, unknown>>> => import(file)));
  return [...new Set(modules.flatMap((module) => Object.values(module).filter(isEntity)))].toSorted((one, other) =>
    one.name.localeCompare(other.name),
  );
}

const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && 'indexes' in value && 'json' in value && 'name' in value;
