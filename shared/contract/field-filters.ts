import * as z from 'zod';
import { digitsIn } from '../words.ts';
import {
  bounded,
  DATE_OR_TIME,
  dateOrTime,
  isOfKind,
  phone,
  phoneNumber,
  shownAs,
  shownOf,
  timestamp,
} from './fields.ts';
import { boundNames, rangeNames } from './filter-names.ts';
import { type ListParameter, parameterOf } from './list-parameter.ts';
import { flag, instant } from './parameters.ts';
import { isWithoutCommas, NULL, several } from './several-values.ts';

/** The filters that follow from the schema of a field of a list's records (`list-query.ts`). */

const SMALL = 'Small lists:';

/**
 * The filters by a field, by the names of their parameters: none where its values have no order and no equality. Values
 * are those of the field, by its own rules. Each schema is built when it is first asked for.
 */
export function filtersBy(field: string, schema: z.ZodType): Readonly<Record<string, ListParameter>> {
  const { value, isNullable } = unwrapped(schema);
  const equal = (make: () => z.ZodType) => ({
    [field]: isPhone(value)
      ? parameterOf({ field, as: 'digits' }, () => valuesOf(digits(), true, isNullable), isNullable)
      : parameterOf({ field, as: 'anyOf' }, make, isNullable),
  });
  if (isTime(value)) return { ...rangeOf(field, value), ...(isNullable ? equal(onlyNull) : {}) };
  if (value.def.type === 'number') {
    return { ...boundsOf(field, value), ...equal(() => valuesOf(numberIn(value), true, isNullable)) };
  }
  if (value.def.type === 'boolean') {
    return equal(() =>
      isNullable ? valuesOf(flag(), true, true) : flag().optional().describe(`${SMALL} whether it is so.`),
    );
  }
  return isText(value) ? equal(() => valuesOf(short(value), isWithoutCommas(value), isNullable)) : {};
}

type Text = z.ZodType<unknown, string>;

/**
 * A schema without what makes a field optional. Its type says what it is: a bundle has no classes of zod that it does
 * not make.
 */
function unwrapped(schema: z.ZodType): { readonly value: z.ZodType; readonly isNullable: boolean } {
  const { type, innerType } = schema.def as z.core.$ZodTypeDef & { readonly innerType?: z.ZodType };
  if (innerType === undefined) return { value: schema, isNullable: false };
  const { value, isNullable } = unwrapped(innerType);
  return { value, isNullable: isNullable || type === 'nullable' };
}

const isTime = (schema: z.ZodType): boolean => isOfKind(schema, timestamp) || isOfKind(schema, dateOrTime);

const isPhone = (schema: z.ZodType): boolean => [phone, phoneNumber].some((kind) => isOfKind(schema, kind));

/** Longest text by which records are counted, in characters. */
const LONGEST_GROUP = 200;

/** Whether records are counted by the values of a field: not by numbers, times and long texts. */
export function isGroupable(schema: z.ZodType): boolean {
  const { value } = unwrapped(schema);
  if (value.def.type === 'boolean' || value.def.type === 'enum') return true;
  return isText(value) && !isTime(value) && Number((value as { maxLength?: unknown }).maxLength) <= LONGEST_GROUP;
}

/** A telephone number as anybody writes it: its digits. */
const digits = () =>
  bounded(50)
    .transform(digitsIn)
    .refine((value) => value !== '', { error: 'must have a digit' })
    .meta(shownAs({ type: 'string', pattern: '^[^,]*[0-9][^,]*$', maxLength: 50 }));

const isText = (schema: z.ZodType): schema is Text => schema.def.type === 'string' || schema.def.type === 'enum';

function valuesOf(element: Text, isSeparated: boolean, takesNull: boolean): z.ZodType {
  const none = takesNull ? `, \`${NULL}\` for none` : '';
  return several(element, { isSeparated, takesNull }, `${SMALL} any of these${none}.`);
}

/** Longest text that is looked for, in characters: that of a URL. */
const MOST_CHARACTERS = 2_048;

const short = (text: Text): Text =>
  Number((text as { readonly maxLength?: unknown }).maxLength ?? 0) > MOST_CHARACTERS
    ? bounded(MOST_CHARACTERS)
        .pipe(text)
        .meta(shownAs({ ...shownOf(text), maxLength: MOST_CHARACTERS }))
    : text;

/** Filters a time, which nobody knows to the millisecond, by null alone. */
const onlyNull = () =>
  z
    .enum([NULL])
    .transform(() => [null])
    .optional()
    .describe(`${SMALL} none.`);

/** A bound of days and times: a time that begins a day becomes that day, which is before it as a text. */
const dayOrInstant = () =>
  instant()
    .transform((time) => time.replace(/T00:00:00\.000Z$/, ''))
    .meta(shownAs({ type: 'string', maxLength: 40, pattern: DATE_OR_TIME }));

type Bounds = Readonly<Record<string, ListParameter>>;

function rangeOf(field: string, schema: z.ZodType): Bounds {
  const { after, before } = rangeNames(field);
  const bound = () => (isOfKind(schema, dateOrTime) ? dayOrInstant() : instant()).optional();
  return {
    [after]: parameterOf({ field, as: 'atLeast' }, () => bound().describe(`${SMALL} from then on.`)),
    [before]: parameterOf({ field, as: 'before' }, () => bound().describe(`${SMALL} earlier.`)),
  };
}

function boundsOf(field: string, schema: z.ZodType): Bounds {
  const { min, max } = boundNames(field);
  const bound = () => numberIn(schema).optional();
  return {
    [min]: parameterOf({ field, as: 'atLeast' }, () => bound().describe(`${SMALL} at least.`)),
    [max]: parameterOf({ field, as: 'upTo' }, () => bound().describe(`${SMALL} at most.`)),
  };
}

/** As programs write doubles. */
const NUMBER = /^-?\d{1,17}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?$/;

/** A number within the bounds of its field. */
function numberIn(schema: z.ZodType): Text {
  const shown = schema.meta() as Partial<ReturnType<typeof shownAs>> | undefined;
  return bounded(30)
    .transform((text) => (NUMBER.test(text) ? Number(text) : Number.NaN))
    .pipe(schema as z.ZodType<number, number>)
    .meta(shown?.override === undefined ? {} : { override: shown.override });
}
