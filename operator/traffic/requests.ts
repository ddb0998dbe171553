import type { Route } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';

/** The requests that are sent to a stage while traffic shifts to its new version. One round calls every function. */

export interface ReadRequest {
  readonly path: string;
  readonly needsToken: boolean;
  /** The status of a successful response. */
  readonly expected: number;
}

/** For platform callers only; the function refuses others. */
const REFUSED: Readonly<Record<string, number>> = { '/api/v1/orgs': 403 };

const isPlainRead = ({ method, path, auth }: Route): boolean =>
  method === 'GET' && !path.includes('{') && (auth === 'bearer' || auth === 'none');

/** Every read that needs no id, derived from the contracts, so that a new domain is called too. */
export const READS: readonly ReadRequest[] = contracts
  .flatMap(({ routes }) => Object.values(routes))
  .filter(isPlainRead)
  .map(({ path, auth, response }) => ({
    path,
    needsToken: auth !== 'none',
    expected: REFUSED[path] ?? response.status,
  }));

/** A kind of record that can be deleted, so that the traffic leaves no records. */
export interface Writable {
  readonly path: string;
  readonly create: (client: string) => Readonly<Record<string, unknown>>;
  readonly change: Readonly<Record<string, unknown>>;
}

/** Marks the records of the traffic for people who see them. */
export const NAME = 'canary traffic';

/** The API does not look up ids of people. */
const CONTACT = '00000000-0000-4000-8000-000000000000';

export const WRITABLES: readonly Writable[] = [
  {
    path: '/api/v1/services',
    create: (client) => ({ client_id: client, name: NAME, type: 'canary' }),
    change: { plan: 'changed' },
  },
  {
    path: '/api/v1/resources',
    create: (client) => ({ client_id: client, name: NAME, type: 'canary' }),
    change: { provider: 'changed' },
  },
  {
    path: '/api/v1/tickets',
    create: (client) => ({
      client_id: client,
      subject: NAME,
      description: NAME,
      source: 'canary',
      contact_id: CONTACT,
    }),
    change: { status: 'closed' },
  },
];

/** A batch that changes nothing: its only operation is about no record. */
export const BATCH = {
  path: '/api/v1/batch',
  body: { operations: [{ key: '1', operation: 'deleteTicket', params: { id: CONTACT } }] },
  expected: 207,
};

/**
 * Number of requests of a round: a login, the reads, a batch, and four for each kind of record (create, read, change, delete).
 */
export const ROUND = 2 + READS.length + 4 * WRITABLES.length;
