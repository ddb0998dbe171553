import * as z from 'zod';
import { asNumber } from '#json';
import { isObject } from '../well-formed.ts';
import { isBlank, isVisibleThroughout, NOT_BLANK, sizeInWords, trimmed } from '../words.ts';
import { always, TOO_LARGE } from './field-errors.ts';
import { dateOrInstantOf, instantOf } from './instant.ts';
import { isMailAddress, MAX_MAIL_ADDRESS } from './mail-address.ts';
import { MAX_JSON } from './sizes.ts';

/**
 * The kinds of fields of records (spec §2). Each sets bounds, so that every accepted value can be stored. Where the
 * spec gives no bound, the bound here is ours.
 */

/**
 * Describes a field in OpenAPI with exactly these keywords. Without them zod derives patterns of many lines for an
 * email address or a time, which are less clear than the name of the format.
 */
export const shownAs = (shown: Readonly<Record<string, unknown>>) => ({
  override: ({
    jsonSchema,
  }: {
    readonly jsonSchema: { pattern?: string; enum?: unknown[]; maxLength?: number };
  }): void => {
    delete jsonSchema.pattern;
    delete jsonSchema.enum;
    delete jsonSchema.maxLength;
    Object.assign(jsonSchema, shown);
  },
});

/**
 * Makes a kind of field once for each of its bounds: a schema takes about 50 µs to build when a function starts, and a
 * domain has dozens of fields. Schemas are never changed: describing or marking one makes a copy. A bundle leaves out
 * the kinds that it does not use.
 */
// @__NO_SIDE_EFFECTS__
const shared = <A extends readonly (number | undefined)[], S>(make: (...bounds: A) => S): ((...bounds: A) => S) => {
  const made = new Map<string, S>();
  return (...bounds) => {
    const key = bounds.join();
    const known = made.get(key) ?? make(...bounds);
    made.set(key, known);
    return known;
  };
};

/**
 * The base of every kind of text: a string of up to `max` code points, as JSON Schema and this version of zod count. A
 * longer one is refused before any other check: the caller may be anonymous, and a pattern may take far longer than
 * reading (`test/contract/linear-work.sampled.test.ts`).
 * @param sentence the message for every wrong value, which describes the kind; without it each rule has its own message
 *   (`field-errors.ts`)
 */
export const bounded = (max: number, sentence?: string) => {
  if (sentence === undefined) return z.string().max(max, { abort: true });
  return z.string({ error: always(sentence) }).max(max, { abort: true, error: sentence });
};

/** A list of `min` to `max` elements. The elements of a longer list are not checked. */
export const list = <S extends z.ZodType>(element: S, max: number, min = 0) => {
  const bounds = { maxItems: max, ...(min === 0 ? {} : { minItems: min }) };
  return z
    .array(z.unknown())
    .refine((value) => value.length <= max, { error: `must have at most ${max} elements` })
    .pipe(min === 0 ? z.array(element).max(max) : z.array(element).min(min).max(max))
    .meta({ override: (shown) => shownAs({ items: shownOf(element), ...bounds }).override(shown) });
};

/** An element of a list as OpenAPI describes it. */
export function shownOf(element: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...shown } = z.toJSONSchema(element, { io: 'input', unrepresentable: 'any', override });
  return shown;
}

/** As zod-openapi shows schemas with {@link shownAs}. */
const override = ({
  zodSchema,
  jsonSchema,
}: Parameters<NonNullable<z.core.JSONSchemaGeneratorParams['override']>>[0]) => {
  const { override: own } = ((zodSchema as unknown as z.ZodType).meta() ?? {}) as Partial<ReturnType<typeof shownAs>>;
  own?.({ jsonSchema: jsonSchema as Parameters<typeof own>[0]['jsonSchema'] });
  const shown = jsonSchema as { override?: unknown };
  delete shown.override;
};

/** Unpaired surrogates have no UTF-8 form (RFC 3629): storing them would change the text. */
const wellFormed = (value: string): boolean => value.isWellFormed();
const NOT_WELL_FORMED = { error: 'must not contain unpaired surrogates' } as const;

/** Valid Unicode text. */
export const text = shared((max: number, min = 0) => bounded(max).min(min).refine(wellFormed, NOT_WELL_FORMED));

const shownAsNotBlank = (max: number) => shownAs({ type: 'string', minLength: 1, maxLength: max, pattern: NOT_BLANK });

/** Text that shows something (`isBlank`). */
export const name = shared((max: number) =>
  bounded(max)
    .min(1, { error: 'must not be empty', abort: true })
    .refine((value) => !isBlank(value), { error: 'must not be blank', abort: true })
    .refine(wellFormed, NOT_WELL_FORMED)
    .meta(shownAsNotBlank(max)),
);

/**
 * A text by which others know a record. What shows nothing is removed from its ends, so that `INC-1` and `INC-1 ` are
 * one.
 * @param min 1 where it must not be empty
 */
export const identifier = shared((max: number, min: 0 | 1 = 0) => {
  const any = bounded(max).overwrite(trimmed).refine(wellFormed, NOT_WELL_FORMED);
  return min === 0 ? any : any.min(1, { error: 'must not be blank' }).meta(shownAsNotBlank(max));
});

const UUID_EXAMPLE = '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04';

/** A UUID of any version, returned in lower case (RFC 9562 §4). */
export const uuid = shared(() =>
  bounded(36, 'must be a UUID')
    .check(z.guid({ error: 'must be a UUID' }))
    .toLowerCase()
    .meta(shownAs({ type: 'string', format: 'uuid', maxLength: 36, examples: [UUID_EXAMPLE] })),
);

/** Whether a schema is of this kind. Copies that are described or marked share its checks. */
export const isOfKind = (schema: z.core.$ZodType | undefined, kind: () => z.ZodType): boolean => {
  const { checks } = (schema?._zod.def ?? {}) as { readonly checks?: readonly unknown[] };
  const { checks: own } = kind().def;
  return checks !== undefined && checks.length === own?.length && checks.every((check, index) => check === own[index]);
};

export const isUuidSchema = (schema: z.core.$ZodType | undefined): boolean => isOfKind(schema, uuid);

const WORD = /^[a-z][a-z0-9_-]*$/;

/** A short lowercase word: the type of fields such as `status`, whose set of values the spec leaves open (spec §3). */
export const word = shared(() =>
  bounded(40).regex(WORD, { error: 'must be a lowercase word of letters, digits, "-" and "_", the first a letter' }),
);

/** A code for use in paths and keys: `acme-billing`. */
export const code = shared((max = 100) =>
  bounded(max)
    .overwrite(trimmed)
    .min(1)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, {
      error: 'must be letters, digits, ".", "_" and "-", the first a letter or digit',
    }),
);

/** A short name for web addresses: `acme-lisbon`. */
export const slug = shared(() =>
  bounded(100)
    .overwrite(trimmed)
    .min(1)
    .regex(/^[a-z0-9][a-z0-9-]*$/, { error: 'must be lowercase letters, digits and "-", the first a letter or digit' }),
);

export const flag = shared(() => z.boolean());

const TIMESTAMP_EXAMPLE = '2026-11-20T09:30:00.000Z';

const A_TIME = `must be an ISO 8601 time in the years 0001 to 9999 of UTC, such as ${TIMESTAMP_EXAMPLE}`;

/** An ISO 8601 time, returned in UTC with milliseconds. The year has four digits in UTC too (RFC 3339). */
export const timestamp = shared(() =>
  bounded(40, A_TIME)
    .overwrite((value) => instantOf(value) ?? value)
    .refine((value) => instantOf(value) === value, { error: A_TIME })
    .meta(shownAs({ type: 'string', format: 'date-time', maxLength: 40, examples: [TIMESTAMP_EXAMPLE] })),
);

const A_DATE_OR_TIME = `must be a date, such as 2026-11-20, or ${A_TIME.slice('must be '.length)}`;

/** For the document: generated clients do not compile where `anyOf` has two formats (`docs/clients.md`). */
export const DATE_OR_TIME =
  String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])` +
  String.raw`(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,12})?(Z|(\+|-)([01]\d|2[0-3]):[0-5]\d))?$`;

/** A day, `2026-11-20`, or an ISO 8601 time, which is returned as others are ({@link timestamp}). */
export const dateOrTime = shared(() =>
  bounded(40, A_DATE_OR_TIME)
    .overwrite((value) => dateOrInstantOf(value) ?? value)
    .refine((value) => dateOrInstantOf(value) === value, { error: A_DATE_OR_TIME })
    .meta(shownAs({ type: 'string', maxLength: 40, pattern: DATE_OR_TIME, examples: ['2026-12-01'] })),
);

/** Numbers closer to zero become 0: they have no meaning in any field, and the smallest are out of DynamoDB's range. */
const SMALLEST = 1e-12;

/** A number between two bounds, kept exactly. */
export const decimal = shared((min: number, max: number) => {
  const error = always(`must be a number from ${min} to ${max}`);
  return z
    .number({ error })
    .min(min, { error })
    .max(max, { error })
    .overwrite((value) => (Math.abs(value) < SMALLEST ? 0 : value))
    .meta(shownAs({ type: 'number', format: 'double', minimum: min, maximum: max }));
});

export const percentage = () => decimal(0, 100);
export const money = () => decimal(0, 1e12);

const integer = (min: number, max: number, format: 'int32' | 'int64') => {
  const error = always(`must be a whole number from ${min} to ${max}`);
  return z
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .meta(shownAs({ type: 'integer', format, minimum: min, maximum: max }));
};

/** A whole number between two bounds, of at most 32 bits. */
export const whole = shared((min: number, max: number) => integer(min, max, 'int32'));

/** A whole number small enough for every JSON reader (RFC 7493 §2.2). */
export const count = shared((max = Number.MAX_SAFE_INTEGER) => wholeNumber(max));

const wholeNumber = (max: number) =>
  integer(0, max, 'int64')
    // JSON has a negative zero, DynamoDB has not.
    .overwrite((value) => (value === 0 ? 0 : value));

export type JsonObject = { [key: string]: unknown };

/** A number that is kept as text is an object in JavaScript. */
const isJsonObject = (given: unknown): boolean => isObject(asNumber(given));

/**
 * JSON allows numbers beyond the range of a double (`1e400`): they are parsed as infinity, and would be written as
 * null.
 */
const isFiniteThroughout = (given: unknown): boolean => {
  // A number that is kept as text is an object in JavaScript.
  const value = asNumber(given);
  return typeof value === 'object' && value !== null
    ? Object.values(value).every(isFiniteThroughout)
    : typeof value !== 'number' || Number.isFinite(value);
};

/**
 * A JSON object of any size. It is passed through and not copied field by field: a copy would lose keys such as
 * `__proto__`, and the object must be returned exactly as it was sent.
 */
export const anyJsonObject = shared(() =>
  z
    .custom<JsonObject>((value) => isJsonObject(value) && isFiniteThroughout(value), {
      // So that rules about the whole body are checked too.
      abort: false,
      error: ({ input }) => {
        if (input === undefined) return undefined;
        return isJsonObject(input) ? 'must not hold numbers beyond the range of a double' : 'must be a JSON object';
      },
    })
    .meta(shownAs(JSON_OBJECT)),
);

const JSON_LIMIT = `At most ${sizeInWords(MAX_JSON)} as JSON.`;
const JSON_OBJECT = { type: 'object', additionalProperties: true } as const;

/** A field of free-form JSON of limited size. */
export const jsonObject = shared(() =>
  anyJsonObject()
    .check(({ value, issues }) => {
      if (!isJsonObject(value) || Buffer.byteLength(JSON.stringify(value)) <= MAX_JSON) return;
      issues.push({
        code: 'custom',
        input: value,
        params: TOO_LARGE,
        message: `must have at most ${MAX_JSON} bytes as JSON`,
      });
    })
    .meta(shownAs({ ...JSON_OBJECT, description: JSON_LIMIT })),
);

/**
 * Free-form JSON of limited size, with what it is for.
 * @example config: field.freeForm('How the service is deployed.').nullable().default(null)
 */
export const freeForm = (text: string) =>
  jsonObject().meta(shownAs({ ...JSON_OBJECT, description: `${text} ${JSON_LIMIT}` }));

/** What callers keep with a record; null unless given. */
export const metadata = () =>
  freeForm('Whatever you keep with the record; it is stored as sent.').nullable().default(null);

/** A secret of up to `max` characters, which only the response to its creation shows. */
export const shownOnce = (max: number, ...text: readonly string[]) =>
  z
    .string()
    .max(max)
    .nullable()
    .describe([...text, SHOWN_ONCE].join(' '));

const SHOWN_ONCE =
  'Shown only here; null in a response that is repeated for its `Idempotency-Key`, except to the live token that ' +
  'asked first.';

/** A telephone number as people write it. Lists compare the digits. */
export const phone = shared(() => bounded(50).refine(wellFormed, NOT_WELL_FORMED));

/** A telephone number as a number: digits only, country code first. */
export const phoneNumber = shared(() => wholeNumber(999_999_999_999_999));

export const tags = shared(() => list(name(100), 100));

/** A mail address (`mail-address.ts`), in Unicode's composed form. */
export const email = shared(() =>
  bounded(MAX_MAIL_ADDRESS)
    .overwrite((value) => value.normalize('NFC'))
    .refine(isMailAddress, { error: 'must be an email address', abort: true })
    .refine(wellFormed, NOT_WELL_FORMED)
    .meta(shownAs({ type: 'string', format: 'idn-email', maxLength: MAX_MAIL_ADDRESS })),
);

/** A URL with `http` or `https` only, so that no response carries a `javascript:` link. */
export const webAddress = shared(() =>
  bounded(2048)
    .check(z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }))
    .refine(isVisibleThroughout, { error: 'must not contain white space or invisible characters' })
    .refine(wellFormed, NOT_WELL_FORMED)
    .meta(shownAs({ type: 'string', format: 'uri', maxLength: 2048 })),
);
