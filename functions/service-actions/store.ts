import { entity, queue, set, storedAs } from '#table';
import { type ServiceAction, serviceAction } from './contract.ts';

/** An action as stored. Entries of the log have no more than the fields of the specification, `run` and `attempts`. */
export interface StoredServiceAction extends ServiceAction {
  /** Its type, and the time from which on the next runner may have it; null where none is to have it. */
  readonly queued?: string | null;
  /** Digest of the token of its last lease; null once a claim has given it up. */
  readonly lease?: string | null;
}

export const serviceActionEntity = entity('SERVICE_ACTION', storedAs<StoredServiceAction>(serviceAction), {
  indexes: [set('service_id'), set('status'), queue('queued')],
  json: ['parameters', 'result'],
  // What a runner says while it is at work is no event: how it ends is one.
  journaled: { quiet: ['status', 'attempts', 'leased_until', 'progress'], unnamed: ['queued', 'lease'] },
});
