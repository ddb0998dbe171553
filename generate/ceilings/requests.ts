import { MOST_ENTRIES } from '../../functions/logs/contract.ts';
import type { JsonBody } from '../../test/support/api.ts';

/** The requests whose ceilings are told. */
export interface MeasuredRequest {
  readonly operationId: string;
  /** Said behind the operation. */
  readonly what?: string;
  readonly query?: string;
  /** Fields besides those of the example. */
  readonly fields?: JsonBody;
  /** A list that is made this long before, by records that all have one value of a filter. */
  readonly longList?: {
    readonly entity: string;
    readonly field: string;
    readonly value: string;
    readonly length: number;
  };
}

/** Free-form text that makes a record of less than 1 KB one of 1 to 2 KB. */
const ONE_KB = { metadata: { note: 'x'.repeat(1_000) } };

/** Entries of one level, instead of one entry. */
const LOG_BATCH = {
  ...{ level: undefined, message: undefined, metadata: undefined },
  entries: Array.from({ length: MOST_ENTRIES }, () => ({ level: 'info', message: 'The disk is nearly full' })),
};

const longListOfTickets = (length: number): MeasuredRequest => ({
  operationId: 'listTickets',
  what: `of ${length.toLocaleString('en')}`,
  query: '?status=open',
  longList: { entity: 'TICKET', field: 'status', value: 'open', length },
});

export const MEASURED_REQUESTS: readonly MeasuredRequest[] = [
  { operationId: 'createClient', what: 'up to 1 KB' },
  { operationId: 'createClient', what: 'up to 2 KB', fields: ONE_KB },
  { operationId: 'listClients' },
  { operationId: 'createResource' },
  { operationId: 'deleteResource' },
  { operationId: 'createTicket' },
  { operationId: 'createTicketMessage' },
  { operationId: 'ingestLog', what: 'up to 1 KB' },
  { operationId: 'ingestLog', what: `${MOST_ENTRIES} entries up to 1 KB`, fields: LOG_BATCH },
  { operationId: 'listLogs', query: '?level=warn' },
  { operationId: 'receiveWebhook' },
  { operationId: 'createIntegration' },
  { operationId: 'login' },
  ...[1_000_000, 10_000_000].map(longListOfTickets),
];
