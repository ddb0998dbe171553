/** What is stored about the delivery of events to endpoints for webhooks. */

export { readBacklogs } from './delivery-backlog.ts';
export * as leases from './delivery-lease.ts';
export {
  allRegistered,
  type Registration,
  registeredOf,
  stageRegistration,
  unregister,
} from './delivery-register.ts';
export {
  type DeliveryState,
  readStates,
  stageFreshStart,
  stageReplay,
  stageState,
  stageStateEnd,
} from './delivery-state.ts';
export { tenantOfJournal } from './keys.ts';
export { stagePingCount } from './pings.ts';
export { stageReplayTime } from './replays.ts';
