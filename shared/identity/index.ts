export {
  type Actor,
  type AuthorizerContext,
  actorOf,
  type Caller,
  callerBySignature,
  callerOf,
  type IntegrationCaller,
  mayDo,
  narrowedToClients,
  type Origin,
  type UserCaller,
} from './caller.ts';
export { codesThatAllow, commonTo, includeAll, type Permissions } from './permissions.ts';
export { clientPermissionsText, type UserContext } from './user-context.ts';
