export { annotate, annotations, countUnits, increment, metered, observe, workBegun } from './invocation.ts';
export { logger } from './logger.ts';
export { type Counter, DECISIONS, DURATION, type Outcome, STATUS_CLASSES } from './metrics.ts';
