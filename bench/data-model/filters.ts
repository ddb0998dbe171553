import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Entity } from '../../shared/table/repository/entity.ts';
import { markdown } from './markdown.ts';

const FUNCTIONS = join(import.meta.dirname, '../../functions');

/** The filters of each entity, as a Markdown table. Made from what the domains declare. */
export async function filterTable(): Promise<string> {
  const rows = (await declaredEntities()).map(({ name, filters }) => [
    `\`${name}\``,
    filters.map((field) => `\`${field}\``).join(', '),
  ]);
  return markdown(['entity', 'can be listed by'], rows);
}

/** Every entity with filters that a domain's `store.ts` exports, by name. */
async function declaredEntities(): Promise<Entity[]> {
  const files = readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\/store\.ts$/.test(file),
  );
  const modules = await Promise.all(files.map((file): Promise<object> => import(join(FUNCTIONS, file))));
  return modules
    .flatMap((module) => Object.values<unknown>(module as Record<string, unknown>).filter(isEntity))
    .filter(({ filters }) => filters.length > 0)
    .sort((a, b) => a.name.localeCompare(b.name));
}

const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && 'filters' in value && 'json' in value && 'name' in value;
