/** The parts of the STS client that are used, so that the bundle stays small. Imported where there is a tenant role (`sts.ts`). */
export { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
