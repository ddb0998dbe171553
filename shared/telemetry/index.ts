export {
  accessLine,
  annotate,
  annotations,
  countUnits,
  type EndedInvocation,
  Invocation,
  increment,
  metered,
  observe,
  within,
  workBegun,
} from './invocation.ts';
export { type About, logger } from './logger.ts';
export {
  BY_DOMAIN,
  COUNTERS,
  type Counter,
  DECISIONS,
  DURATION,
  type Outcome,
  STATUS_CLASSES,
  WORK_ENDS,
} from './metrics.ts';
