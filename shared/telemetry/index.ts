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
