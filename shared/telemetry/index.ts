export { accessLine, type EndedInvocation } from './access-line.ts';
export { annotate, annotations, countUnits, Invocation, increment, metered, within, workBegun } from './invocation.ts';
export { type About, logger } from './logger.ts';
export { observe } from './observe.ts';
