export { type Actor, actorOf, type Origin } from './actor.ts';
export { type AuthorizerContext, type Caller, callerBySignature, callerOf, mayDo } from './caller.ts';
export { codesThatAllow, includeAll, type Permissions } from './permissions.ts';
