/** How far from now the time of an event may be, in seconds: the stricter of what stage and integration set; null: any time. */
export function toleranceOf(integration: number | null | undefined): number | null {
  const set = [stageTolerance(), integration].filter((seconds) => typeof seconds === 'number');
  return set.length === 0 ? null : Math.min(...set);
}

/** `WEBHOOK_TOLERANCE_SECONDS`; unset or no whole number from 1 on: none. */
const stageTolerance = (): number | null => {
  const seconds = process.env.WEBHOOK_TOLERANCE_SECONDS ?? '';
  return /^[1-9]\d{0,8}$/.test(seconds) ? Number(seconds) : null;
};
