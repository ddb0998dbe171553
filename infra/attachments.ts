import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { TENANT } from './roles/tenant-role.ts';
import type { Settings } from './settings.ts';
import { retention } from './stacks/stage-stack.ts';

/** How long a deleted object can be brought back by an administrator, in days. */
const KEPT_DAYS = 7;

/** The bucket with the bytes of attachments, under a prefix for each tenant (`docs/decisions/0203-attachments.md`). */
export class Attachments extends Construct {
  readonly #bucket: Bucket;

  /** @param key that of the table, where the stage has one of its own */
  constructor(scope: Construct, id: string, settings: Settings, key: Key | undefined) {
    super(scope, id);
    const { corsOrigins } = settings;
    this.#bucket = new Bucket(this, 'Bucket', {
      ...(key === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      lifecycleRules: [
        { noncurrentVersionExpiration: Duration.days(KEPT_DAYS), expiredObjectDeleteMarker: true },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      ...(corsOrigins.length === 0
        ? {}
        : { cors: [{ allowedOrigins: [...corsOrigins], allowedMethods: METHODS, allowedHeaders: ['*'] }] }),
      removalPolicy: retention(settings),
    });
    const reason = 'URLs of objects are made by requests, which the gateway and the function log.';
    Validations.of(this.#bucket).acknowledge({ id: 'AwsSolutions-S1', reason });
  }

  /** Its address, without a slash at its end. */
  get url(): string {
    return `https://${this.#bucket.bucketRegionalDomainName}`;
  }

  /** Allows a role what it does to the objects of its session's tenant. */
  allow(role: Role, ...actions: readonly `s3:${string}`[]): void {
    role.addToPolicy(
      new PolicyStatement({ actions: [...actions], resources: [`${this.#bucket.bucketArn}/${TENANT}/*`] }),
    );
    const { logicalId } = this.#bucket.node.defaultChild as CfnBucket;
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${Stack.of(this).resolve(logicalId)}.Arn>/<aws:PrincipalTag/tenant>/*]`,
      reason: 'A tenant has any number of objects: its role reaches those of its session’s tenant.',
    });
  }

  /** Allows a role to list the versions of its session's tenant's objects. */
  allowListing(role: Role): void {
    role.addToPolicy(
      new PolicyStatement({
        actions: ['s3:ListBucketVersions'],
        resources: [this.#bucket.bucketArn],
        conditions: { StringEquals: { 's3:prefix': `${TENANT}/` } },
      }),
    );
  }
}

const METHODS = [HttpMethods.GET, HttpMethods.PUT];
