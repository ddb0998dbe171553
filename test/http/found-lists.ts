import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { JsonBody } from '../support/api.ts';
import type { Row, Searched } from '../support/list-oracle.ts';
import { newTicket } from '../support/tickets.ts';

/** The lists that people look things up in, as the reference describes them: their records, and what finds these. */

/** A list, and the records in it. */
export interface FoundList {
  readonly listId: string;
  readonly path: string;
  /** What a creation must have, beside {@link FoundList.fields}. */
  readonly required: () => JsonBody;
  /** Fields that creations and changes may have. */
  readonly fields: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  readonly searched: Searched;
  /** The values that each filter is asked for, as texts. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  /** The values that each parameter for exactly one text is asked for. */
  readonly exact: Readonly<Record<string, readonly string[]>>;
  readonly canBeDeleted: boolean;
  /** Whether its records belong to a client, which their creation names. */
  readonly ofClient: boolean;
}

const TEXTS = [
  ...['Acme', 'ACME', 'Ácme', 'Billing', 'bill', 'Printer', 'is', 'silent', 'print-server', "O'Neil", '(urgent)'],
  ...['10.0.0.7', '10.0.0.12', 'db.example', 'anna@example.com', 'Straße', 'STRASSE', 'São', 'ﬁle', 'ＡＢＣ', 'Ёлка'],
  ...['Ωμέγας', '株式会社', '東京支店', 'ไม่มีสัญญาณ', '한국어', 'مرحبا', 'e\u0301te', '—', '...', 'i', 'İzmir', '😀'],
  ...['Łódź', 'Søren', 'Đà', 'Ħal', 'Ærø', 'O’Neil', 'Oʼne', 'print–ser'],
];
export const SLUGS = ['acme', 'acme-billing', 'print', 'tokyo', 'a'];
export const MAILS = ['anna@example.com', 'Anna.B@example.com', 'bill@acme.pt', 'rui@acme.pt'];
const CODES = ['T-1', 'T-12', 'bill-7', 'acme'];
const NAMES_OF_PROVIDERS = ['i-0a7', 'i-0a7/b', 'vm 12', 'ACME'];
/** As other systems call records. */
const OTHERS = ['crm-1', 'acme', 'T-1'];
const ADDRESSES = ['10.0.0.7', '10.0.0.12', '2001:db8::1'];
const AGENTS = ['87d6100d-2b60-4000-8000-000000000001', '87d6100d-2b60-4000-8000-000000000002'];
const STATUSES = ['active', 'inactive', 'held', 'x_y'];
const HEALTH = ['healthy', 'down'];
export const TAGS = ['vip', 'VIP', 'a b', 'a,b', 'é', 'x'];

const one = <T>(values: readonly T[]) => fc.constantFrom(...values);
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const text = (most: number) =>
  fc
    .tuple(fc.array(one(TEXTS), { minLength: 1, maxLength: most }), one([' ', '  ', '\t']))
    .map(([words, space]) => words.join(space));
const tags = nullable(fc.array(one(TAGS), { maxLength: 4 }));

/** A prefix of a text, as somebody types it. */
export const typed: fc.Arbitrary<string> = fc
  .tuple(one([...TEXTS, ...SLUGS, ...MAILS, ...CODES, ...NAMES_OF_PROVIDERS, ...ADDRESSES, 'nowhere']), fc.nat(12))
  .chain(([from, length]) => {
    const prefix = Array.from(from)
      .slice(0, length + 1)
      .join('');
    return one([prefix, prefix.toUpperCase(), prefix.toLowerCase()]);
  });

/** The filter of a list by its records' client, and the id that stands for that of the test's own. */
export const OWN_CLIENT = '~client~';
const CLIENTS = [OWN_CLIENT, AGENTS[0] ?? ''];
const FLAG = ['true', 'false'];

export const FOUND_LISTS: readonly FoundList[] = [
  {
    listId: 'listClients',
    path: '/clients',
    required: () => ({ name: 'N' }),
    fields: {
      ...{ name: text(2), slug: nullable(one(SLUGS)), email: nullable(one(MAILS)), status: one(STATUSES) },
      external_id: nullable(one(OTHERS)),
    },
    searched: { words: ['name', 'email'], claims: ['slug'] },
    filters: { status: STATUSES, has_risks: FLAG },
    exact: { slug: [...SLUGS, 'none'], external_id: OTHERS },
    canBeDeleted: false,
    ofClient: false,
  },
  {
    listId: 'listTickets',
    path: '/tickets',
    required: newTicket,
    fields: {
      subject: text(3),
      ticket_code: one(CODES),
      external_id: nullable(one(OTHERS)),
      status: one(['open', 'closed', 'pending']),
      assigned_to: nullable(one(AGENTS)),
      tags,
    },
    searched: { words: ['subject'], claims: ['ticket_code'] },
    filters: { status: ['open', 'closed', 'pending'], assigned_to: AGENTS, client_id: CLIENTS },
    exact: { ticket_code: [...CODES, 't-1', 'none'], external_id: OTHERS },
    canBeDeleted: true,
    ofClient: true,
  },
  {
    listId: 'listServices',
    path: '/services',
    required: () => ({ name: 'N', type: 'web' }),
    fields: {
      name: text(3),
      external_id: nullable(one(OTHERS)),
      status: one(STATUSES),
      health_status: one(HEALTH),
      tags,
    },
    searched: { words: ['name'], claims: [] },
    filters: { status: STATUSES, health_status: HEALTH, client_id: CLIENTS },
    exact: { external_id: OTHERS },
    canBeDeleted: true,
    ofClient: true,
  },
  {
    listId: 'listResources',
    path: '/resources',
    required: () => ({ name: 'N', type: 'vm' }),
    fields: {
      name: text(1),
      external_id: nullable(one(NAMES_OF_PROVIDERS)),
      ip_address: nullable(one(ADDRESSES)),
      status: one(STATUSES),
      health_status: one(HEALTH),
      cpu_usage: nullable(one([50, 95])),
      tags,
    },
    searched: { words: ['name', 'external_id', 'ip_address'], claims: [] },
    filters: { status: STATUSES, health_status: HEALTH, client_id: CLIENTS, service_id: AGENTS, over_threshold: FLAG },
    exact: { external_id: [...NAMES_OF_PROVIDERS, 'acme', 'none'] },
    canBeDeleted: true,
    ofClient: true,
  },
  {
    listId: 'listTerminals',
    path: '/terminals',
    required: () => ({ name: 'N' }),
    fields: { name: text(2), external_id: nullable(one(OTHERS)), location: text(1), status: one(STATUSES) },
    searched: { words: ['name', 'location'], claims: [] },
    filters: { status: STATUSES, client_id: CLIENTS },
    exact: { external_id: OTHERS },
    canBeDeleted: false,
    ofClient: true,
  },
  {
    listId: 'listUsers',
    path: '/users',
    required: () => ({ email: `${randomUUID()}@example.org` }),
    fields: { name: nullable(text(2)), external_id: nullable(one(OTHERS)), email: one(MAILS), is_active: fc.boolean() },
    searched: { words: ['name', 'email'], claims: [] },
    filters: { is_active: FLAG },
    exact: { email: [...MAILS, 'ANNA@example.com', 'none@example.com'], external_id: OTHERS },
    canBeDeleted: false,
    ofClient: false,
  },
];

/** A record with the flags that it does not show. */
export const withFlags = (row: Row): Row =>
  'cpu_usage' in row
    ? {
        ...row,
        over_threshold: row.usage_alerts_enabled === true && Number(row.cpu_usage) > Number(row.alert_threshold),
      }
    : row;
