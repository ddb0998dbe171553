import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Entity } from '../../shared/table/entity.ts';
import { LIST_INDEXES, listIndex } from '../../shared/table/schema.ts';
import { markdown } from './markdown.ts';

const FUNCTIONS = join(import.meta.dirname, '../../functions');

/** Which filter of which entity lies on which list index, as a Markdown table. Made from what the domains declare. */
export async function slotTable(): Promise<string> {
  const entities = (await declaredEntities()).filter(({ filters }) => filters.length > 0);
  const slots = Array.from({ length: LIST_INDEXES }, (_, slot) => slot);
  const used = slots.filter((slot) => entities.some(({ filters }) => filters[slot] !== undefined));
  const rows = entities.map(({ name, filters }) => [
    `\`${name}\``,
    ...used.map((slot) => (filters[slot] ?? []).map((field) => `\`${field}\``).join(' ')),
  ]);
  return markdown(['', ...used.map((slot) => `\`${listIndex(slot + 1).name}\``)], rows);
}

/** Every entity that a domain's `store.ts` exports, by name. */
async function declaredEntities(): Promise<Entity[]> {
  const files = readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\/store\.ts$/.test(file),
  );
  const modules = await Promise.all(files.map((file): Promise<object> => import(join(FUNCTIONS, file))));
  return modules
    .flatMap((module) => Object.values<unknown>(module as Record<string, unknown>).filter(isEntity))
    .sort((a, b) => a.name.localeCompare(b.name));
}

const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && 'filters' in value && 'json' in value && 'name' in value;
