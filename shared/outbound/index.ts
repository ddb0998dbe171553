export {
  type OutboundError,
  type OutboundOptions,
  type OutboundResponse,
  outbound,
  type SendOutbound,
} from './request.ts';
export { environmentTargets, refusalOf } from './target.ts';
