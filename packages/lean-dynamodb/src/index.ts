export { bytesOf, type Kms, kmsOf } from './kms.ts';
export { leanDocumentClient } from './lean-client.ts';
export { askS3, type ObjectRequest, presign } from './s3.ts';
export { type AwsService, type CallerClient, serviceOf } from './service.ts';
export { sqsOf } from './sqs.ts';
export { assumeRole } from './sts.ts';
