import { callerOf } from '../../shared/auth/caller.ts';
import type { Collection } from '../../shared/table/collection.ts';
import { entity } from '../../shared/table/entity.ts';
import type { Session } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';

/** The records that are listed: about 0.5 KB each as DynamoDB counts them, keys and all. */
export interface Job {
  readonly id: string;
  readonly state: string | null;
  readonly title: string;
  readonly created_at: string;
  readonly notes: string;
}

export const jobs = entity<Job>('JOB', { filters: [['state']] });

export const newJob = (state: string | null): Omit<Job, 'id'> => ({
  state,
  title: 'Replace the fan of the second cabinet',
  created_at: '2026-11-20T12:00:00.000Z',
  notes: 'The quick brown fox jumps over the lazy dog. '.repeat(5).slice(0, 195),
});

/** The jobs of an organization, as an operation of the API would reach them. */
export function jobsOf(org: string, session: Session): Collection<Job> {
  const context = { integration_id: 'i', app_code: 'a', org_id: org, expires_at: '9999999999', permissions: '*' };
  const caller = callerOf(context);
  if (caller === undefined) throw new Error('no caller');
  return Tenant.of(caller, session).records(jobs);
}
