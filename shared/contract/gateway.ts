/** What a gateway does by itself, in AWS and locally: its problems, CORS, challenges and compression. */

export { ANY_ORIGIN, ORIGINS, originsFor, originsOf, type Preflight, preflightOf, readableBy } from './cors.ts';
export {
  GATEWAY_PROBLEMS,
  type GatewayProblem,
  type GatewayResponseType,
  gatewayProblemHeaders,
  gatewayProblemTemplate,
  undeclared,
} from './gateway-problems.ts';
export { COMPRESSED_FROM } from './sizes.ts';
export { GATEWAY_TIMEOUT } from './traits.ts';
