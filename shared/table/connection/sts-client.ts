/** Of the STS client what is used here, and no more: this module is loaded where a tenant role is named (`sts.ts`), and bundled as it stands. */
export { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
