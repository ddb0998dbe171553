import { describe, expect, it } from 'vitest';
import { Replayed, withoutReports } from '../../operator/import/run.ts';

/** What an exported resource still needs, after it was created without usage and got its samples. */

const [EARLY, LATE] = ['2026-02-01T00:00:00.000Z', '2026-02-02T00:00:00.000Z'];
const sample = { timestamp: LATE, cpu_usage: 1, memory_usage: 2, storage_usage: 3, health_status: 'healthy' };
const { timestamp: last_health_check, ...state } = sample;
const resource = { name: 'db-1', alert_threshold: 80, ...state, last_health_check };

describe('an exported resource', () => {
  const missing = (target: object, ...samples: readonly object[]) => {
    const replayed = new Replayed({ ...resource, ...target });
    for (const more of samples) replayed.add({ ...sample, ...more });
    return replayed.missing;
  };

  it('is created without what its samples say', () => {
    expect(withoutReports(resource)).toEqual({ name: 'db-1', alert_threshold: 80 });
  });

  it('needs nothing more where its last sample says it, whenever the older ones came', () => {
    expect(missing({}, { timestamp: EARLY, cpu_usage: 9 }, {})).toBeUndefined();
    expect(missing({}, {}, { timestamp: EARLY, cpu_usage: 9 })).toBeUndefined();
    const fresh = { cpu_usage: null, memory_usage: null, storage_usage: null, last_health_check: null };
    expect(missing(fresh)).toBeUndefined();
  });

  it('gets what no sample has, with the time of its last check: so that is no check of now', () => {
    expect(missing({ cpu_usage: null }, {})).toEqual({ cpu_usage: null, last_health_check });
    expect(missing({}, { cpu_usage: 9 })).toEqual({ cpu_usage: 1, last_health_check });
    expect(missing({ last_health_check: EARLY }, {})).toEqual({ last_health_check: EARLY });
  });
});
