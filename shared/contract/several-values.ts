import * as z from 'zod';
import { NOT_BLANK } from '../words.ts';
import { sentenceOf } from './field-errors.ts';
import { isOfKind, shownAs, shownOf, slug, uuid, word } from './fields.ts';

/**
 * Parameters of a query that take several values. They arrive as a parameter that is repeated (`tag=a&tag=b`) or, where
 * no value can contain a comma, also separated by commas (`status=open,pending`). API Gateway decodes parameters before
 * the function sees them: an encoded comma is like any other.
 */

/** Most values of a parameter. */
export const MOST_VALUES = 10;

interface Several {
  /** The schema of each value. */
  readonly element: z.ZodType;
  readonly isSeparated: boolean;
}

const known = new WeakMap<z.ZodType, Several>();

function severalOf(schema: z.ZodType): Several | undefined {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType };
  return known.get(schema) ?? (innerType === undefined ? undefined : severalOf(innerType));
}

/** The schema of each value of a parameter that takes several; undefined for any other schema. */
export const elementOf = (schema: z.ZodType): z.ZodType | undefined => severalOf(schema)?.element;

/**
 * The values that a request gives to a parameter, as its schema takes them; undefined for a parameter that takes one.
 */
export function valuesIn(schema: z.ZodType | undefined, given: readonly string[]): readonly string[] | undefined {
  const several = schema === undefined ? undefined : severalOf(schema);
  // One more than there may be is enough to refuse them.
  return several?.isSeparated ? given.flatMap((text) => text.split(',', MOST_VALUES + 1)) : several && given;
}

/**
 * A filter by one or several values of which a record has any: `status=open,pending`, `plan=pro&plan=basic`.
 * @param description what a single value is for, in a sentence
 * @param isSeparated whether commas separate them: where no value can contain one
 * @example status: parameter.anyOf(field.word(), 'Only records with this status.')
 */
export const anyOf = <S extends z.ZodType<unknown, string>>(
  element: S,
  description: string,
  isSeparated = isWithoutCommas(element),
) => several(element, { isSeparated }, `${description} ${isSeparated ? SEPARATED : 'Repeated'}: any of them.`);

const SEPARATED = 'Several, separated by commas';

/** Only values that cannot contain a comma are separated by commas. All others are repeated. */
export const isWithoutCommas = (schema: z.ZodType): boolean =>
  schema.def.type === 'enum' || [uuid, word, slug].some((kind) => isOfKind(schema, kind));

/**
 * A filter by one or several texts all of which a record has: `tag=a&tag=b`. They may contain commas.
 * @param description what a single value is for, in a sentence
 */
export const allOf = <S extends z.ZodType<unknown, string>>(element: S, description: string) =>
  several(element, { isSeparated: false }, `${description} Repeated: all of them.`);

/** The text that stands for no value. */
export const NULL = 'null';

interface Values {
  readonly isSeparated: boolean;
  /** Whether {@link NULL} is a value: of a field that may be null. */
  readonly takesNull?: boolean;
}

/** One or several values, as an array. */
export function several<S extends z.ZodType<unknown, string>>(
  element: S,
  { isSeparated, takesNull = false }: Values,
  description: string,
) {
  const shown = () => {
    const { description: _, default: __, readOnly: ___, examples = [], ...items } = shownOf(element);
    const examplesOfAll = (examples as readonly unknown[]).map((example) => [example]);
    return {
      type: 'array',
      items: takesNull ? orNull(items) : items,
      ...{ minItems: 1, maxItems: MOST_VALUES },
      ...(examplesOfAll.length === 0 ? {} : { examples: examplesOfAll }),
    };
  };
  const schema = z
    .array(z.string())
    .max(MOST_VALUES, { abort: true, error: `must have at most ${MOST_VALUES} values` })
    .transform((values, { issues }) => {
      const refuse = (input: string, index: number, message: string): void => {
        // The place of a value is said where there are several.
        issues.push({ code: 'custom', input, message, path: values.length > 1 ? [index] : [] });
      };
      return values.flatMap((value, index): readonly (z.output<S> | null)[] => {
        if (takesNull && value === NULL) return [null];
        const { success, data, error } = element.safeParse(value, { error: sentenceOf });
        if (!success) for (const { message } of error.issues) refuse(value, index, message);
        return success ? [data] : [];
      });
    })
    .meta({ override: (context) => shownAs(shown()).override(context) });
  known.set(schema, { element, isSeparated });
  return schema.optional().meta({ description, param: { style: 'form', explode: !isSeparated } });
}

const UUID = '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';
const NUMBER = String.raw`-?\d{1,16}(\.\d{1,12})?`;

/**
 * A value as OpenAPI describes it, or {@link NULL}: a text, because clients in typed languages could not send that in
 * place of an id or a number. A mail or web address stays as it is.
 */
function orNull(shown: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (Array.isArray(shown.enum)) return { ...shown, enum: [...shown.enum, NULL] };
  if (shown.format === 'uuid') return { type: 'string', maxLength: 36, pattern: `^(${NULL}|${UUID})$` };
  if (shown.type !== 'string') return { type: 'string', maxLength: 30, pattern: `^(${NULL}|${NUMBER})$` };
  return shown.pattern === undefined || shown.pattern === NOT_BLANK
    ? shown
    : { ...shown, pattern: `${shown.pattern}|^${NULL}$` };
}
