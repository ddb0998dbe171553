import * as z from 'zod';
import { counts, declared } from '#contract';
import * as field from '#contract/field';

/** What `GET /clients/{id}/summary` returns. */

const total = (many: string) => field.count().describe(`How many ${many} the client has.`);
const byStatus = (many: string) => counts(`The ${many} by \`status\`.`);
const withPermission = (area: string) => `Null without the permission \`${area}:read\`.`;

const cost = (description: string) =>
  z
    .strictObject({
      total: z.number().min(0).describe('The sum, exact to the cent, in the currency that you account in.'),
      by_billing_cycle: z
        .array(
          z.strictObject({
            billing_cycle: field.word().describe('How often they are billed.'),
            total: z.number().min(0).describe('What all of them cost a month.'),
          }),
        )
        .max(10_240)
        .describe('The same by `billing_cycle`, in order of the words.'),
    })
    .nullable()
    .describe(description);

const run = (many: 'services' | 'resources') =>
  z
    .strictObject({
      total: total(many),
      by_status: byStatus(many),
      unhealthy: field.count().describe('How many are not `healthy`.'),
      under_maintenance: field.count().describe('How many are under maintenance, `healthy` or not.'),
      monthly_cost: cost(`What the ${many} cost a month.`),
    })
    .nullable()
    .describe(`The ${many} of the client. ${withPermission(many)}`);

const counted = <S extends z.ZodRawShape = Record<never, never>>(many: 'terminals' | 'tickets', further = {} as S) =>
  z
    .strictObject({ total: total(many), by_status: byStatus(many), ...further })
    .nullable()
    .describe(`The ${many} of the client. ${withPermission(many)}`);

const overdue = () =>
  field
    .count()
    .nullable()
    .describe('How many are past their `due_at` and not closed. Null where too many are not closed to be read.');

export const clientSummary = declared(() =>
  z
    .strictObject({
      client_id: field.reference('Client').describe('The client that is summed up.'),
      services: run('services'),
      resources: run('resources'),
      terminals: counted('terminals'),
      tickets: counted('tickets', { overdue: overdue() }),
      monthly_cost: cost('What services and resources cost a month together. Null where one of them is.'),
      last_contact: field.timestamp().nullable().describe('As the client has it.'),
    })
    .describe('What a client has, in numbers.')
    .meta({ id: 'ClientSummary' }),
);

export type ClientSummary = z.output<typeof clientSummary.schema>;

const costExample = { total: 120.5, by_billing_cycle: [{ billing_cycle: 'monthly', total: 120.5 }] };
const ACTIVE = [{ value: 'active', count: 1 }];

export const summaryExample = {
  client_id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  services: { total: 1, by_status: ACTIVE, unhealthy: 0, under_maintenance: 0, monthly_cost: costExample },
  resources: {
    total: 0,
    by_status: [],
    unhealthy: 0,
    under_maintenance: 0,
    monthly_cost: { total: 0, by_billing_cycle: [] },
  },
  terminals: { total: 1, by_status: ACTIVE },
  tickets: { total: 2, by_status: [{ value: 'closed', count: 2 }], overdue: 0 },
  monthly_cost: costExample,
  last_contact: '2026-11-20T09:30:00.000Z',
} satisfies ClientSummary;
