import type { Shown } from '../route-shape.ts';

type Present = (value: unknown) => unknown;

/** Made once for each kind of answer. */
const made = new WeakMap<Shown, Present>();

/** The value with exactly the fields of its schema: other fields are left out, missing ones get their default or null. */
export const present = (shown: Shown, value: unknown): unknown => presenterOf(shown)(value);

function presenterOf(shown: Shown): Present {
  const known = made.get(shown) ?? make(shown);
  made.set(shown, known);
  return known;
}

function make({ standard, fields, element }: Shown): Present {
  const asItIs: Present = (value) => (value === undefined ? standard : value);
  if (fields !== undefined) return objectOf(fields, asItIs);
  return element === undefined ? asItIs : arrayOf(presenterOf(element), asItIs);
}

function objectOf(shape: Readonly<Record<string, Shown>>, otherwise: Present): Present {
  const fields = Object.entries(shape).map(([name, shown]) => [name, presenterOf(shown)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return otherwise(value);
    const shown: Record<string, unknown> = {};
    for (const [name, field] of fields) shown[name] = field((value as Record<string, unknown>)[name]);
    return shown;
  };
}

const arrayOf =
  (element: Present, otherwise: Present): Present =>
  (value) =>
    Array.isArray(value) ? value.map(element) : otherwise(value);
