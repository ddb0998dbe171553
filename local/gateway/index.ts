export { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
export { isLoopback } from './hosts.ts';
export { invoker } from './invoke.ts';
export { type Around, AUTHORIZER_TTL_SECONDS, type EndedRequest, type FunctionHandler } from './options.ts';
export type { Throttling } from './throttle.ts';
