import { RequestSession } from '#table';
import { observe } from '#telemetry';
import { systemClock } from '../../shared/clock.ts';
import { environmentQueue } from '../deliveries/sqs-queue.ts';
import { wakeBehind } from './wake.ts';

/** For all that it does, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** Runs every five minutes. @throws what reading or sending throws */
export const handler = (): Promise<void> =>
  observe({ domain: 'delivery-schedule', clock: systemClock, endOf }, () =>
    wakeBehind(RequestSession.ofEnvironment(TIMEOUT_MS), environmentQueue()),
  );

const endOf = ({ status }: PromiseSettledResult<void>) =>
  ({ outcome: status === 'fulfilled' ? 'done' : 'failed' }) as const;
