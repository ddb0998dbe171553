import { escapedHtml } from '../markdown.ts';
import { nameIn, openApi, type Schema } from './document.ts';

/** Examples of values, as JSON. */

/** An example of a value of this schema. */
export function exampleOf(schema: Schema): unknown {
  const { $ref, const: only, examples, properties, items, type } = schema;
  if ($ref !== undefined) return exampleOf(openApi.components.schemas[nameIn($ref)] ?? {});
  if (only !== undefined) return only;
  if (examples !== undefined) return examples[0];
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]));
  const types = [type].flat();
  if (types.includes('null')) return null;
  if (types.includes('array')) return items === undefined ? [] : [exampleOf(items)];
  return types.includes('object') ? {} : '…';
}

/** JSON on lines. */
export const jsonHtml = (value: unknown): string =>
  `<pre><code>${escapedHtml(JSON.stringify(value, null, 2))}</code></pre>`;
