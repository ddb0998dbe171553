/** How long a stage may take to respond, in milliseconds: its own limit for a read, and a cold start. */
const TIMEOUT = 10_000;

/**
 * Calls the health check at `HEALTH_URL`, from outside, as a caller does. It runs once a minute; that it succeeds, or does not run, is what an alarm
 * looks at (`infra/heartbeat.ts`).
 * @throws Error for any other status than 200, for none in time, and where the variable is not set
 */
export async function handler(): Promise<void> {
  const url = process.env.HEALTH_URL;
  if (url === undefined) throw new Error('HEALTH_URL is not set');
  const { status } = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) });
  if (status !== 200) throw new Error(`the health check returned ${status}`);
}
