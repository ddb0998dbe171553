/** Largest difference of an event's time from now, in seconds: the stricter of the stage's and the integration's; null: any. */
export function toleranceOf(integration: number | null | undefined): number | null {
  const set = [stageTolerance(), integration].filter((seconds) => typeof seconds === 'number');
  return set.length === 0 ? null : Math.min(...set);
}

/** `WEBHOOK_TOLERANCE_SECONDS`; null where that is not a whole number from 1 on. */
const stageTolerance = (): number | null => {
  const seconds = process.env.WEBHOOK_TOLERANCE_SECONDS ?? '';
  return /^[1-9]\d{0,8}$/.test(seconds) ? Number(seconds) : null;
};
