/**
 * What a gateway does by itself, in AWS and locally: its problems, redirects, CORS and compression; and what it can
 * carry.
 */

export { corsHeaders, ORIGINS, originsOf, type Preflight, preflightOf } from './cors.ts';
export { entrancesOf, REDIRECT } from './entrances.ts';
export { GATEWAY_PROBLEMS, type GatewayProblem, gatewayResponse, undeclared } from './gateway-problems.ts';
export { COMPRESSED_FROM, MAX_RESPONSE } from './sizes.ts';
export { GATEWAY_TIMEOUT } from './traits.ts';
