import { pipeline } from '#http';
import { systemClock } from '../../shared/clock.ts';
import { callerOfAlerts } from './caller.ts';
import { alerts } from './contract.ts';
import { alertOperations } from './operations.ts';

export const handler = pipeline(alerts, alertOperations, systemClock, callerOfAlerts);
