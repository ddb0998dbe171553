import { randomUUID } from 'node:crypto';
import { catalogue } from '../../functions/access/catalogue.static.ts';
import { contracts } from '../../functions/all-contracts.ts';
import { type ExampleRequest, exampleRequestsOf } from '../../functions/docs/openapi/example-requests.ts';
import { sign } from '../../functions/webhooks/signature.ts';
import { collected } from '../../generate/collections.ts';
import { isBlank, NOT_BLANK } from '../../shared/words.ts';

/**
 * For runs of schemathesis (`npm run check:clients`): what a schema cannot say about a request. With it, a request that
 * fits the document is accepted, or refused with a status that `schemathesis.toml` names.
 */

/** Ids and tokens by the names of the example requests: `client_id`, `token`, `platform_token`. */
type Variables = ReadonlyMap<string, string>;

/**
 * Creates an organization with a record of each kind: sends the requests of the collections to an API, all but the deletions.
 * @throws Error for the first that is refused
 */
export async function createRecords(url: string, platformSecret: string): Promise<Variables> {
  const variables = new Map([
    ['platform_app_code', 'platform'],
    ['platform_secret', platformSecret],
  ]);
  for (const request of collected(contracts).filter(({ method }) => method !== 'DELETE')) {
    const body = request.body === undefined ? undefined : filled(JSON.stringify(request.body), variables);
    const response = await fetch(`${url}${filled(request.path, variables)}`, {
      method: request.method,
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json', ...credentialsOf(request, body ?? '', variables) },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${request.id}: ${response.status} ${text}`);
    for (const [name, place] of Object.entries(request.leaves)) {
      const found = place.split(/[.[\]]+/).reduce<unknown>((at, key) => Object(at)[key], JSON.parse(text));
      variables.set(name, String(found));
    }
  }
  return variables;
}

const filled = (text: string, variables: Variables): string =>
  text
    .replaceAll('{{$guid}}', () => randomUUID())
    .replaceAll('{{$timestamp}}', () => String(Date.now()))
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables.get(name) ?? '');

function credentialsOf({ auth, token }: ExampleRequest, body: string, variables: Variables): Record<string, string> {
  if (auth === 'none') return {};
  if (auth === 'bearer') return { Authorization: `Bearer ${variables.get(token)}` };
  return { 'X-Signature': sign(body, variables.get('secret') ?? ''), 'X-Event-ID': randomUUID() };
}

type Node = { [member: string]: unknown };

interface Operation extends Node {
  readonly operationId: string;
  parameters?: Node[];
  readonly requestBody?: { readonly content: Record<string, Node> };
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Node>; parameters: Record<string, Node> };
}

/** The document where bodies are JSON, for those who do not know lines of it. */
export function withoutLines(document: object): Document {
  const copy = structuredClone(document) as Document;
  for (const operation of Object.values(copy.paths).flatMap((operations) => Object.values(operations)))
    delete operation.requestBody?.content['application/x-ndjson'];
  return copy;
}

/**
 * The document for requests about these records, by this caller:
 * - the pattern of what must not be blank names every character that shows nothing (`shared/words.ts`), as Python can read it;
 * - ids are those of the records: others are refused with 404 or 422, and those of other organizations with 403;
 * - a platform caller names the organization in the query, and the integration of an endpoint;
 * - no `Idempotency-Key`: with another body it is refused with 422;
 * - time zones, days, permissions and types of events are some that there are, and a secret is hard to guess;
 * - numbers and days that filters of small lists take are within their bounds, and orders are of fields that there are;
 * - the feed and replays begin at names of places in place of cursors, and endpoints have public addresses;
 * - filters by long texts are left out, of which several are too long together;
 * - read-only fields are left out: they may be sent back as they were read;
 * - log entries are one or many, not both, and a service action has a time only with `run`;
 * - a client is created or changed by its slug, and not by its external id as well;
 * - bodies are JSON: it cannot write lines of it.
 */
export function documentFor(document: object, variables: Variables, caller: 'organization' | 'platform'): object {
  const copy = withExactPatterns(withoutLines(document));
  const { schemas } = copy.components;
  for (const [name, schema] of Object.entries(schemas)) {
    if (/(Create|Patch|Upsert|Replay|Move)$/.test(name)) withRecords(schema, variables);
  }
  const planned = { required: ['run'], properties: { run: { const: true }, status: { const: 'pending' } } };
  const recorded = { properties: { run: { const: false }, scheduled_for: { type: 'null' } } };
  Object.assign(schemas.ServiceActionCreate ?? {}, { anyOf: [planned, recorded] });
  const one = { required: ['level', 'message'], properties: { entries: false } };
  Object.assign(schemas.LogEntryCreate ?? {}, { oneOf: [one, { required: ['entries'], maxProperties: 1 }] });
  if (caller === 'platform')
    Object.assign(schemas.WebhookEndpointCreate ?? {}, { required: ['url', 'integration_id'] });
  copy.components.parameters = Object.fromEntries(
    Object.entries(copy.components.parameters).map(([name, parameter]) => [name, withValues(parameter)]),
  );
  const organization = { enum: [variables.get('organization_id')] };
  Object.assign(copy.components.parameters.OrgId ?? {}, { schema: organization, required: caller === 'platform' });
  const paths = new Map(exampleRequestsOf(contracts).map(({ id, path }) => [id, path.replace(/\?.*/, '')]));
  for (const [path, operations] of Object.entries(copy.paths)) {
    for (const operation of Object.values(operations)) {
      operation.parameters = [
        ...oneOfTwo(operation)
          .filter(isKept)
          .filter((each) => !isLong(each, copy))
          .map(withValues),
        ...pathParameters(path, paths.get(operation.operationId) ?? '', variables),
      ];
    }
  }
  return copy;
}

/** The parameters of an operation, without one of two that exclude each other. */
function oneOfTwo({ operationId, parameters = [] }: Operation): Node[] {
  if (operationId !== 'upsertClient') return parameters;
  return parameters
    .filter(({ name }) => name !== 'external_id')
    .map((each) => (each.name === 'slug' ? { ...each, required: true } : each));
}

const withExactPatterns = (document: Document): Document => {
  const pattern = JSON.stringify(`[^${blankRanges()}]`);
  return JSON.parse(JSON.stringify(document).replaceAll(JSON.stringify(NOT_BLANK), () => pattern));
};

/** The characters that show nothing, as the inside of a class. */
function blankRanges(): string {
  const ranges: { readonly from: number; to: number }[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (!isBlank(String.fromCodePoint(code))) continue;
    const last = ranges.at(-1);
    if (last?.to === code - 1) last.to = code;
    else ranges.push({ from: code, to: code });
  }
  return ranges.map(({ from, to }) => `${String.fromCodePoint(from)}-${String.fromCodePoint(to)}`).join('');
}

const isKept = ({ $ref = '', in: place }: { $ref?: string; in?: string }): boolean =>
  place !== 'path' && !/\/(Idempotency-Key|Path\w+)$/.test($ref);

/** Whether several values of a parameter would be too long for a URL with others. */
function isLong(parameter: Node, { components: { parameters } }: Document): boolean {
  const { $ref } = parameter;
  const { schema } = (
    typeof $ref === 'string' ? parameters[$ref.split('/').at(-1) ?? ''] : parameter
  ) as Partial<Parameter>;
  return Number(schema?.items?.maxLength ?? 0) > LONG;
}

const LONG = 200;

/** The parameters of a path, with the values that its example has in their places. */
function pathParameters(path: string, example: string, variables: Variables): Node[] {
  const values = example.split('/');
  return path.split('/').flatMap((segment, index) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    const schema = { enum: [filled(values[index] ?? '', variables)] };
    return name === undefined ? [] : [{ name, in: 'path', required: true, schema }];
  });
}

const PERMISSIONS = catalogue.map(({ code }) => code).slice(0, 3);

const EVENT_TYPES = ['ticket.created', 'webhook_endpoint.pinged'];

/** Values of fields whose form does not say all. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  timezone: ['Europe/Lisbon', 'UTC'],
  next_billing_date: ['2026-12-01', '2026-12-01T09:30:00Z'],
  secret: ['Zq8-unlucky-scallop-jovial-repaint-crumb-onion-71'],
  url: ['https://hooks.acme.example/custodia'],
  from: ['oldest', 'latest'],
  to: ['9999-12-31T00:00:00Z'],
};

/** Values of parameters whose form does not say all. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  types: ['ticket.updated', EVENT_TYPES.join()],
  next_billing_date_after: ['2026-12-01'],
  next_billing_date_before: ['2026-12-01T09:30:00Z'],
};

/** A parameter with values that there are in place of its form: of the feed, and of filters and orders for small lists. */
function withValues(parameter: Node): Node {
  const { name, schema, 'x-any-size': orders } = parameter as Node & Parameter;
  const values = orders === undefined ? PARAMETERS[name] : [...orders, 'id', '-id,created_at'];
  if (values !== undefined) return { ...parameter, schema: { enum: values } };
  if (schema?.pattern?.includes('|latest') === true) return { ...parameter, schema: { enum: ['latest'] } };
  const items =
    name === 'timezone' ? VALUES.timezone : NUMBER_OR_NULL.test(schema?.items?.pattern ?? '') && ['null', '1'];
  return items ? { ...parameter, schema: { ...schema, items: { enum: items } } } : parameter;
}

interface Parameter {
  readonly name: string;
  readonly 'x-any-size'?: readonly string[];
  readonly schema?: {
    readonly pattern?: string;
    readonly items?: { readonly pattern?: string; readonly maxLength?: number };
  };
}

/** The form of a number that may be null: its bounds are in no pattern. */
const NUMBER_OR_NULL = /^\^\(null\|-\?\\d/;

function withRecords({ properties = {} }: { properties?: unknown }, variables: Variables): void {
  const fields = properties as Record<string, Node>;
  for (const [name, schema] of Object.entries(fields)) {
    const values = valuesOf(name, schema, variables);
    const isNullable = JSON.stringify([schema.type, schema.anyOf]).includes('"null"') && name !== 'org_id';
    if (schema.readOnly === true) delete fields[name];
    else if (name === 'permissions') schema.items = { enum: PERMISSIONS };
    else if (name === 'event_types') schema.items = { enum: EVENT_TYPES };
    else if (values.length > 0) fields[name] = { enum: isNullable ? [...values, null] : values };
  }
}

/** The values that a field may have; none: all that fit. */
function valuesOf(name: string, { format }: Node, variables: Variables): readonly string[] {
  // A maintenance window begins at any time; the other `from` is a place in the feed.
  if (name === 'from' && format === 'date-time') return [];
  if (Object.hasOwn(VALUES, name)) return VALUES[name] ?? [];
  return name.endsWith('_id') ? [variables.get(OTHER_NAMES[name] ?? name) ?? []].flat() : [];
}

/** Fields by the variables that have the ids of their records, where these have other names. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  org_id: 'organization_id',
  provider_id: 'identity_provider_id',
};
