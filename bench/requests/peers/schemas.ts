import * as z from 'zod';
import { resources } from '../../../functions/resources/contract.ts';

/** The schemas of the peers' input, as written by hand. */

const json = z.record(z.string(), z.unknown());

const client = z.strictObject({
  name: z.string().min(1).max(200),
  slug: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .nullable(),
  timezone: z.string().min(1).max(64),
  status: z.string().regex(/^[a-z0-9_-]{1,50}$/),
  metadata: json.nullable(),
  email: z.email().nullable(),
  phone: z.int().min(0).nullable(),
  plan: z.string().max(100).nullable(),
});

export const newClient = client.extend({
  slug: client.shape.slug.default(null),
  timezone: client.shape.timezone.default('Europe/Lisbon'),
  status: client.shape.status.default('active'),
  metadata: client.shape.metadata.default(null),
  email: client.shape.email.default(null),
  phone: client.shape.phone.default(null),
  plan: client.shape.plan.default(null),
});
export type NewClient = z.output<typeof newClient>;

export const patchedClient = client.omit({ slug: true }).partial();
export type PatchedClient = z.output<typeof patchedClient>;

export const newLogEntry = z.strictObject({
  level: z.enum(['info', 'warn', 'error', 'debug']),
  message: z.string().min(1).max(20_000),
  metadata: json.default({}),
});
export type NewLogEntry = z.output<typeof newLogEntry>;

/** Only the first page is read: the peers could reach others only by reading all pages before. */
export const listQuery = z.strictObject({ status: client.shape.status.optional() });

/** Makes the records to list; it is not measured. */
export const newResource = resources.routes.createResource.body.schema;

export const params = z.strictObject({ id: z.uuid() });
