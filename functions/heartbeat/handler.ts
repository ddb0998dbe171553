/** Timeout of a stage's response, in milliseconds: its own limit for a read, and a cold start. */
const TIMEOUT = 10_000;

/**
 * Calls the health check at `HEALTH_URL`, from outside, as a caller does. It runs once a minute; an alarm watches its
 * successes (`infra/heartbeat.ts`).
 * @throws Error for a status other than 200, after the timeout, and where the variable is not set
 */
export async function handler(): Promise<void> {
  const url = process.env.HEALTH_URL;
  if (url === undefined) throw new Error('HEALTH_URL is not set');
  const { status } = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) });
  if (status !== 200) throw new Error(`the health check returned ${status}`);
}
