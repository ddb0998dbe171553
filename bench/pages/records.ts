import { type Entity, entity, type Repository, type RequestSession, set, Tenant } from '../../shared/table/index.ts';

/** Fields that the records may be listed by: `f1` … `f11`. */
export const FIELDS = Array.from({ length: 11 }, (_, index) => `f${index + 1}` as const);
type Field = `f${number}`;

/** The listed records: about 0.5 KB each as DynamoDB counts them, with keys. */
export interface Job extends Readonly<Record<Field, string | null>> {
  readonly id: string;
  readonly title: string;
  readonly created_at: string;
  readonly notes: string;
  readonly last_activity_at?: string;
}

/** Jobs that can be listed by this number of fields. */
export const jobsBy = (fields: number): Entity<Job> =>
  entity<Job>('JOB', { indexes: FIELDS.slice(0, fields).map((field) => set(field as keyof Job & string)) });

/** A job with the value that `value` gives to each of its fields. */
export const newJob = (fields: number, value: (field: number) => string | null = () => 'a'): Omit<Job, 'id'> => ({
  title: 'Replace the fan of the second cabinet',
  created_at: '2026-11-20T12:00:00.000Z',
  notes: 'The quick brown fox jumps over the lazy dog. '.repeat(5).slice(0, 195),
  ...Object.fromEntries(FIELDS.slice(0, fields).map((field, index) => [field, value(index)])),
});

/** The jobs of an organization, as an operation of the API would reach them. */
export const jobsOf = (org: string, session: RequestSession, kind: Entity<Job>): Repository<Job> =>
  Tenant.ofNewOrganization(org, session).records(kind);
