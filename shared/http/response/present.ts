import type * as z from 'zod';
import { type Projection, projectionOf } from '../routes/route-metadata.ts';

type Present = (value: unknown) => unknown;

/** Made once for each projection. */
const made = new WeakMap<Projection, Present>();

/** The value with exactly the fields of its schema: other fields are left out, missing ones get their default or null. */
export const present = (projection: Projection, value: unknown): unknown => presenterOf(projection)(value);

/** A value as responses with this schema show it. */
export const presentBy = (schema: z.ZodType, value: unknown): unknown => present(projectionOf(schema), value);

function presenterOf(projection: Projection): Present {
  const known = made.get(projection) ?? make(projection);
  made.set(projection, known);
  return known;
}

function make({ standard, fields, element }: Projection): Present {
  const asItIs: Present = (value) => (value === undefined ? standard : value);
  if (fields !== undefined) return objectOf(fields, asItIs);
  return element === undefined ? asItIs : arrayOf(presenterOf(element), asItIs);
}

function objectOf(shape: Readonly<Record<string, Projection>>, otherwise: Present): Present {
  const fields = Object.entries(shape).map(([name, projection]) => [name, presenterOf(projection)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return otherwise(value);
    const projected: Record<string, unknown> = {};
    for (const [name, field] of fields) projected[name] = field((value as Record<string, unknown>)[name]);
    return projected;
  };
}

const arrayOf =
  (element: Present, otherwise: Present): Present =>
  (value) =>
    Array.isArray(value) ? value.map(element) : otherwise(value);
