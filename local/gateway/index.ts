export { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
export { isLoopback } from './hosts.ts';
export { invoker } from './invoke.ts';
export {
  type Around,
  AUTHORIZER_TTL_SECONDS,
  type EndedRequest,
  type FunctionHandler,
  type Throttling,
} from './options.ts';
