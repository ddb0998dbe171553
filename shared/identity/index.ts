export {
  type Actor,
  type AuthorizerContext,
  actorOf,
  type Caller,
  callerBySignature,
  callerOf,
  mayDo,
  type Origin,
} from './caller.ts';
export { codesThatAllow, includeAll, type Permissions } from './permissions.ts';
