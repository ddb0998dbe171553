import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Table } from '../../generate/markdown.ts';
import type { Entity } from '../../shared/table/repository/entity.ts';

const FUNCTIONS = join(import.meta.dirname, '../../functions');

/** The filters of each entity. Made from what the domains declare. */
export async function filterTable(): Promise<Table> {
  const rows = (await declaredEntities()).map(({ name, filters }) => [
    `\`${name}\``,
    filters.map((field) => `\`${field}\``).join(', '),
  ]);
  return { head: ['entity', 'can be listed by'], rows };
}

/** Every entity with filters that a domain's `store.ts` exports, by name. */
async function declaredEntities(): Promise<Entity[]> {
  const files = globSync('*/store.ts', { cwd: FUNCTIONS }).map((file) => pathToFileURL(join(FUNCTIONS, file)).href);
  const modules = await Promise.all(files.map((file): Promise<object> => import(file)));
  return modules
    .flatMap((module) => Object.values<unknown>(module as Record<string, unknown>).filter(isEntity))
    .filter(({ filters }) => filters.length > 0)
    .sort((a, b) => a.name.localeCompare(b.name));
}

const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && 'filters' in value && 'json' in value && 'name' in value;
