import type { Contract, Route } from '#contract';
import { markdown } from '../markdown.ts';
import { jsonSchemaOf, nameIn, type Schema, type Schemas, typeOf } from './schema.ts';

/** Every returned record, and every body that is not one, in the order of the contracts. */
export function records(contracts: readonly Contract[], schemas: Schemas): string {
  const routes = contracts.flatMap((contract) => Object.values(contract.routes));
  const names = [...new Set(routes.flatMap((route) => [...takenBy(route), ...schemasOfResponse(route, schemas)]))];
  const bodies = new Set(routes.flatMap(takenBy));
  return names
    .map((name) => `### ${titleOf(name)}\n\n${describe(name, names, schemas, bodies.has(name))}`)
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

function describe(name: string, names: readonly string[], schemas: Schemas, isBody: boolean): string {
  const fields = fieldsOf(schemas[name]);
  const base = names.find((other) => other !== name && name.includes(other) && sharesFields(name, other, schemas));
  const known = base === undefined ? [] : fieldsOf(schemas[base]);
  if (base !== undefined && fields.length <= known.length) {
    const [always, onRequest] = [true, false].map((isRequired) =>
      fields.filter((field) => (schemas[name]?.required?.includes(field) ?? false) === isRequired),
    );
    const further = onRequest?.length ? ` On request also: ${listed(onRequest)}.` : '';
    return `These fields of a ${titleOf(base).toLowerCase()}: ${listed(always ?? [])}.${further}`;
  }
  const table = fieldTable(name, schemas, known, isBody);
  return base === undefined ? table : `As ${titleOf(base).toLowerCase()}, and:\n\n${table}`;
}

const listed = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(', ');

/** Whether one has all fields of the other. */
function sharesFields(one: string, other: string, schemas: Schemas): boolean {
  const [few = [], many = []] = [fieldsOf(schemas[one]), fieldsOf(schemas[other])].sort((a, b) => a.length - b.length);
  return few.every((field) => many.includes(field));
}

const fieldsOf = (schema: Schema | undefined): string[] => Object.keys(schema?.properties ?? {});

/** The fields of a record without those already listed, and with those that only its creation has. */
function fieldTable(name: string, schemas: Schemas, known: readonly string[], isBody: boolean): string {
  const record = schemas[name] ?? {};
  const creation = schemas[`${name}Create`];
  const fields = { ...creation?.properties, ...record.properties };
  const order = [...new Set([...fieldsOf(record), ...fieldsOf(creation)])].filter((field) => !known.includes(field));
  const uses = isBody ? [{ head: 'in the body', body: record }] : usesOf(name, schemas);
  return markdown({
    head: ['field', 'type', ...uses.map(({ head }) => head), 'default', 'notes'],
    rows: order.map((field) => {
      const schema = fields[field] ?? {};
      const created = creation?.properties?.[field];
      return [
        `\`${field}\``,
        typeOf(schema),
        ...uses.map(({ body }) => useOf(field, body)),
        schema.default === undefined ? '' : jsonSchemaOf(schema.default),
        (schema.description ?? (created?.readOnly === true ? undefined : created?.description) ?? '').replaceAll(
          '|',
          '\\|',
        ),
      ];
    }),
  });
}

/** The bodies that take a record's fields. */
function usesOf(name: string, schemas: Schemas): { readonly head: string; readonly body: Schema }[] {
  const bodies = { 'in a creation': schemas[`${name}Create`], 'in a change': schemas[`${name}Patch`] };
  return Object.entries(bodies).flatMap(([head, body]) => (body === undefined ? [] : [{ head, body }]));
}

/** How a body treats a field. A field that a body only accepts to ignore it is not one of its own. */
function useOf(field: string, body: Schema): string {
  const schema = body.properties?.[field];
  if (schema === undefined || schema.readOnly === true) return '';
  return body.required?.includes(field) === true ? 'required' : 'optional';
}
