export {
  type OutboundError,
  type OutboundOptions,
  type OutboundResponse,
  outbound,
} from './request.ts';
export { environmentTargets, refusalOf } from './target.ts';
