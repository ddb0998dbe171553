import type { FieldValues } from './api.ts';
import type { Random } from './random.ts';

/** Samples of a machine in a day. */
export const SAMPLES_A_DAY = 2;
export const DAY_MS = 86_400_000;

/** A disk that fills up to this percentage is over every threshold. */
const FULL = 96;

/**
 * The samples of a machine over the days before `now`, oldest first: a wave by the hour, some noise, and a disk that fills up. One machine in
 * eight has a full disk in the end, one in twelve is degraded.
 * @param now in epoch milliseconds
 */
export function samples(days: number, now: number, random: Random): readonly FieldValues[] {
  const load = random.between(10, 45);
  const memory = random.between(30, 65);
  const full = random.next() < 1 / 8 ? FULL : random.between(25, 70);
  const health = random.next() < 1 / 12 ? 'degraded' : 'healthy';
  const count = days * SAMPLES_A_DAY;
  return Array.from({ length: count }, (_, index) => {
    const left = count - 1 - index;
    const time = new Date(now - (left * DAY_MS) / SAMPLES_A_DAY);
    const wave = Math.sin(((time.getUTCHours() - 8) / 24) * 2 * Math.PI);
    return {
      timestamp: time.toISOString(),
      cpu_usage: percentage(load + 18 * wave + 12 * random.next()),
      memory_usage: percentage(memory + 6 * wave + 5 * random.next()),
      storage_usage: percentage(full - left * (12 / count)),
      health_status: left < 2 ? health : 'healthy',
    };
  });
}

const percentage = (value: number): number => Math.round(Math.min(100, Math.max(0, value)) * 10) / 10;
