import type { Contract, Route } from '#contract';
import { jsonSchemaOf, nameIn, type Schema, type Schemas, typeOf } from './schema.ts';

/**
 * Every record that a specified endpoint returns, and every body that is not one, in the order of the contracts. Those
 * of extensions are in the OpenAPI document.
 */
export function records(contracts: readonly Contract[], schemas: Schemas): string {
  const all = contracts.flatMap((contract) => Object.values(contract.routes));
  const routes = all.filter(({ extension }) => extension !== true);
  const names = [...new Set(routes.flatMap((route) => [...takenBy(route), ...schemasOfResponse(route, schemas)]))];
  const bodies = new Set(routes.flatMap(takenBy));
  const bases = new Map(names.map((name) => [name, baseOf(name, names, schemas)]));
  const tables = new Map(
    names.map((name) => {
      const known = fieldsOf(schemas[bases.get(name) ?? '']);
      return [name, rowsOf(name, schemas, bodies.has(name)).filter(({ field }) => !known.includes(field))] as const;
    }),
  );
  return names
    .map((name) => `### ${titleOf(name)}\n\n${describe(name, bases.get(name), schemas, tables.get(name) ?? [])}`)
    .join('\n\n');
}

/** The record of a response or of a list's elements, and the elements of lists in it. */
function schemasOfResponse({ response }: Route, schemas: Schemas): string[] {
  const reply = response.schema?.meta()?.id;
  if (reply === undefined) return [];
  const elements = Object.values(schemas[reply]?.properties ?? {}).flatMap(
    ({ items }) => (items && nameIn(items)) ?? [],
  );
  return /(Page|List)$/.test(reply) ? elements : [reply, ...elements];
}

/** The body, where it is not that of a record's creation, change or both. */
const takenBy = ({ body }: Route): string[] =>
  body === undefined || /(Create|Patch|Upsert)$/.test(body.name) ? [] : [body.name];

/** `TicketMessage` is "Ticket message". */
const titleOf = (name: string): string =>
  name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace('Open api', 'OpenAPI');

/** A line of a list: a field, with its type and use. */
interface Row {
  readonly field: string;
  readonly type: string;
  /** Not in the specification that was given: named only. */
  readonly isOurs: boolean;
}

const listOf = (rows: readonly Row[]): string => rows.map(({ field, type }) => `- \`${field}\` (${type})`).join('\n');

/** The record whose fields are some, or all, of this one. */
const baseOf = (name: string, names: readonly string[], schemas: Schemas): string | undefined =>
  names.find((other) => other !== name && name.includes(other) && sharesFields(name, other, schemas));

function describe(name: string, base: string | undefined, schemas: Schemas, rows: readonly Row[]): string {
  const fields = fieldsOf(schemas[name]);
  const required = schemas[name]?.required ?? [];
  if (base !== undefined && fields.length <= fieldsOf(schemas[base]).length) {
    const [always, onRequest] = [true, false].map((is) => fields.filter((field) => required.includes(field) === is));
    return [
      ...(always?.length ? [`These fields of ${titleOf(base).toLowerCase()}: ${listed(always)}.`] : []),
      ...(onRequest?.length ? [`On request: ${listed(onRequest)}.`] : []),
    ].join(' ');
  }
  const [ours, given] = [true, false].map((is) => rows.filter(({ isOurs }) => isOurs === is)) as [Row[], Row[]];
  const line = [
    ...(base === undefined ? [] : [`As ${titleOf(base).toLowerCase()}.`]),
    ...(ours.length === 0 ? [] : [`† ${listed(ours.map(({ field }) => field))}.`]),
  ].join(' ');
  return [line, given.length === 0 ? '' : listOf(given)].filter((part) => part !== '').join('\n\n');
}

const listed = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(', ');

/** Whether one has all fields of the other. */
function sharesFields(one: string, other: string, schemas: Schemas): boolean {
  const [few = [], many = []] = [fieldsOf(schemas[one]), fieldsOf(schemas[other])].sort((a, b) => a.length - b.length);
  return few.every((field) => many.includes(field));
}

const fieldsOf = (schema: Schema | undefined): string[] => Object.keys(schema?.properties ?? {});

/** The fields of a record, and those that only its creation has. */
function rowsOf(name: string, schemas: Schemas, isBody: boolean): readonly Row[] {
  const record = schemas[name] ?? {};
  const creation = schemas[`${name}Create`];
  const change = schemas[`${name}Patch`];
  const fields = { ...creation?.properties, ...record.properties };
  return [...new Set([...fieldsOf(record), ...fieldsOf(creation)])].map((field) => {
    const schema = fields[field] ?? {};
    const created = creation?.properties?.[field];
    const use = isBody ? bodyUse(field, record) : useOf(field, creation, change);
    const standard =
      schema.default === undefined || schema.default === null ? [] : [`= ${jsonSchemaOf(schema.default)}`];
    return {
      field,
      type: [[typeOf(schema), ...standard].join(' '), ...use].join(', '),
      isOurs: OURS.test(schema.description ?? created?.description ?? ''),
    };
  });
}

/** How the description of a field begins that the given specification does not have. */
const OURS = /^Extends the specification/;

const bodyUse = (field: string, body: Schema): string[] =>
  body.required?.includes(field) === true ? ['required'] : [];

/** How a creation and a change take a field. What both may have is the rule, and not said. */
function useOf(field: string, creation: Schema | undefined, change: Schema | undefined): string[] {
  if (creation === undefined && change === undefined) return [];
  const isTaken = (body: Schema | undefined): boolean =>
    body?.properties?.[field] !== undefined && body.properties[field].readOnly !== true;
  if (!isTaken(creation)) return [isTaken(change) ? 'in changes' : 'read-only'];
  const isRequired = creation?.required?.includes(field) === true;
  return [...(isRequired ? ['required'] : []), ...(change === undefined || isTaken(change) ? [] : ['fixed'])];
}
