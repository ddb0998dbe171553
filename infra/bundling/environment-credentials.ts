/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles. The default chain includes SSO, INI files, processes and
 * web identity: 132 KB and several milliseconds of every cold start (`docs/decisions/0054`). A Lambda finds its role's
 * credentials in its environment, unchanged for the life of the container
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime).
 */

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export const defaultProvider = () => async (): Promise<Credentials> => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = process.env;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set');
  }
  const credentials = { accessKeyId, secretAccessKey };
  return AWS_SESSION_TOKEN === undefined ? credentials : { ...credentials, sessionToken: AWS_SESSION_TOKEN };
};
