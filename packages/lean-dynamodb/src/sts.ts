import { parseXML } from '@aws-sdk/xml-builder';
import { type AwsService, type CallerClient, serviceOf } from './service.ts';

/**
 * AWS Security Token Service, of which one action is used
 * (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html).
 */
const STS: AwsService = {
  name: 'sts',
  contentType: 'application/x-www-form-urlencoded',
  errorIn: (text) => {
    const { Code: name, Message: message } = parseXML(text).ErrorResponse.Error;
    return { name, message };
  },
};

/** The credentials of a session. */
interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiration: Date;
}

interface SessionOptions {
  readonly role: string;
  /** For CloudTrail. */
  readonly name: string;
  /** In seconds. */
  readonly duration: number;
  readonly tag: { readonly key: string; readonly value: string };
}

/**
 * Opens a session of a role.
 * @example await assumeRole(client, { role, name: 'clients', duration: 3_600, tag: { key: 'tenant', value: tenant } })
 * @throws ServiceException, or an error of the connection
 */
export async function assumeRole(
  client: CallerClient,
  { role, name, duration, tag }: SessionOptions,
): Promise<SessionCredentials> {
  const form = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: name,
    DurationSeconds: String(duration),
    'Tags.member.1.Key': tag.key,
    'Tags.member.1.Value': tag.value,
  });
  const response = await serviceOf(client, STS)({ body: form.toString() });
  const { Credentials: session } = parseXML(response).AssumeRoleResponse.AssumeRoleResult;
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = session ?? {};
  const expiration = new Date(Expiration);
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || Number.isNaN(expiration.getTime())) {
    throw new Error('STS returned no credentials');
  }
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken, expiration };
}
