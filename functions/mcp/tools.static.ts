import type * as z from 'zod';
import { createSchema } from 'zod-openapi';
import { type Contract, type Route, takesHeader } from '#contract';
import manifest from '../../package.json' with { type: 'json' };
import { events } from '../events/contract.ts';
import { logs } from '../logs/contract.ts';
import { recordContracts } from '../record-contracts.ts';

/**
 * The tools, made from contracts: an operation's id, its first sentences, and what it takes. Every token of them is
 * paid with each conversation, so they say only what a caller cannot guess.
 */

/** The readers that are offered where nothing else is asked for. */
const DAY: readonly string[] = [
  ...['listClients', 'getClient', 'summarizeClient', 'listServices', 'summarizeServices', 'getService'],
  ...['listResources', 'getResource', 'listResourceHistory', 'listMaintenanceWindows', 'listServiceActions'],
  ...['listTerminals', 'listTickets', 'summarizeTickets', 'getTicket', 'listTicketChanges', 'listTicketMessages'],
  ...['listUsers', 'listEvents'],
];
const WRITERS: readonly string[] = ['updateTicket', 'createTicketMessage'];
/** They show roles, memberships, and by what a person signs in. */
const NEVER: readonly string[] = ['getUserAccess', 'listUserIdentities', 'listUserMemberships'];

const toolsOf = ({ routes }: Contract) =>
  Object.entries(routes).flatMap(([name, route]) => {
    const { method, summary, description: further, permission, clientScope = false } = route;
    const isWriter = WRITERS.includes(name);
    if (!permission || NEVER.includes(name) || (method !== 'GET' && !isWriter)) return [];
    const set = isWriter ? ('write' as const) : DAY.includes(name) ? ('day' as const) : ('all' as const);
    const description = further === undefined ? summary : `${summary}. ${firstSentence(further)}`;
    const annotations = { readOnlyHint: !isWriter };
    return [{ set, permission, clientScope, tool: { name, description, inputSchema: inputOf(route), annotations } }];
  });

const firstSentence = (text: string): string =>
  /^.*?(?=\.(?: |$))/s.exec(text.replace(/^Extends[^:]*: /, ''))?.[0] ?? text;

function inputOf(route: Route) {
  const schemas = [route.params, route.query, ...(route.body === undefined ? [] : [route.body.schema])];
  const parts = schemas.map((schema) => createSchema(schema, { io: 'input' }).schema as Schema);
  const all = parts.flatMap(({ properties = {} }) => Object.entries(properties));
  // The organization is that of the token, or of the address.
  const given = all.flatMap(([name, schema]) => (name === 'org_id' ? [] : [[name, argument(Object(schema))] as const]));
  const properties: Record<string, Argument> = Object.fromEntries(given);
  if (takesHeader(route, 'Idempotency-Key'))
    properties.idempotency_key = { type: 'string', description: 'Done once for a key' };
  const required = parts.flatMap((part) => part.required ?? []);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

type Schema = z.core.JSONSchema.BaseSchema;
type Argument = ReturnType<typeof argument>;

/** Without bounds and patterns: whoever breaks them is refused with the reason. */
function argument({ type, enum: values, items, anyOf, description }: Schema) {
  const [value] = anyOf ?? [];
  const [types, ofItems] = [value ? [Object(value).type, 'null'].flat() : type, Object(items).enum as unknown];
  return {
    ...(types !== undefined && { type: types }),
    ...(values !== undefined && { enum: values }),
    ...(ofItems !== undefined && { items: { enum: ofItems } }),
    ...(description !== undefined && { description: firstSentence(description) }),
  };
}

/** In the order of the OpenAPI document. Those of roles and memberships are none. */
export const tools = [...recordContracts.filter(({ name }) => name !== 'access'), events, logs].flatMap(toolsOf);

export const serverInfo = { name: manifest.name, version: manifest.version };
