import type { HistoryEntry, Resource } from '../../functions/resources/contract.ts';

/**
 * Usage and health of an exported resource. They follow from its samples, and a resource that is created with them has
 * a sample at once. So it is created without them, gets its samples in their order, and then what is still missing.
 */

const REPORTED = ['cpu_usage', 'memory_usage', 'storage_usage', 'health_status', 'last_health_check'] as const;
type Reported = Pick<Resource, (typeof REPORTED)[number]>;

/** The fields that a resource is created with. */
export const withoutReports = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => !(REPORTED as readonly string[]).includes(field)));

/** What a resource has after its samples, as the service takes them over. */
export class Replayed {
  readonly #target: Reported;
  #state: Reported = {
    cpu_usage: null,
    memory_usage: null,
    storage_usage: null,
    health_status: 'healthy',
    last_health_check: null,
  };

  /** @param fields of the exported resource */
  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#target = Object.fromEntries(REPORTED.map((field) => [field, fields[field]])) as unknown as Reported;
  }

  /** A sample that is older than what the resource knows changes nothing. */
  add(sample: Readonly<Record<string, unknown>>): void {
    const { timestamp, cpu_usage, memory_usage, storage_usage, health_status } = sample as unknown as HistoryEntry;
    const { last_health_check: known } = this.#state;
    if (known !== null && Date.parse(timestamp) < Date.parse(known)) return;
    this.#state = { cpu_usage, memory_usage, storage_usage, health_status, last_health_check: timestamp };
  }

  /** The change that makes the resource what it was; undefined where it is that already. */
  get missing(): Record<string, unknown> | undefined {
    const changed = REPORTED.filter((field) => this.#target[field] !== this.#state[field]);
    if (changed.length === 0) return undefined;
    // With the time of the last check a change is no check of now.
    return Object.fromEntries([...changed, 'last_health_check' as const].map((field) => [field, this.#target[field]]));
  }
}
