import { STSClient } from '@aws-sdk/client-sts';
import { HttpRequest } from '@smithy/core/protocols';

/** Calls of the emulator that no command of ours makes, signed as the SDK signs. */

export interface AwsCall {
  readonly service: string;
  readonly method?: string;
  readonly path?: string;
  readonly target?: string;
  readonly contentType: string;
  readonly body: string;
  /** Absent: those of the environment. */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken: string;
  };
}

export interface AwsResponse {
  readonly status: number;
  readonly text: string;
}

export async function callAws({ service, method = 'POST', path = '/', ...call }: AwsCall): Promise<AwsResponse> {
  const endpoint = new URL(process.env.AWS_ENDPOINT_URL ?? 'no endpoint');
  const { config } = new STSClient(call.credentials === undefined ? {} : { credentials: call.credentials });
  const region = await config.region();
  const signer = await config.signer({ name: 'sigv4', signingName: service, signingRegion: region, properties: {} });
  const { protocol, hostname, host, port } = endpoint;
  const headers = {
    host,
    'content-type': call.contentType,
    ...(call.target === undefined ? {} : { 'x-amz-target': call.target }),
  };
  const unsigned = { protocol, hostname, port: Number(port), method, path, headers };
  const request = await signer.sign(new HttpRequest({ ...unsigned, ...(method === 'GET' ? {} : { body: call.body }) }));
  const response = await fetch(new URL(path, endpoint), {
    method,
    headers: request.headers,
    ...(method === 'GET' ? {} : { body: call.body }),
  });
  return { status: response.status, text: await response.text() };
}

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html */
export const callCloudFormation = (action: string, input: Readonly<Record<string, string>>): Promise<AwsResponse> =>
  callAws({
    service: 'cloudformation',
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({ Action: action, Version: '2010-05-15', ...input }).toString(),
  });

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations.html */
export const callDynamoDb = (action: string, input: object): Promise<AwsResponse> =>
  callAws({
    service: 'dynamodb',
    target: `DynamoDB_20120810.${action}`,
    contentType: 'application/x-amz-json-1.0',
    body: JSON.stringify(input),
  });

/**
 * https://docs.aws.amazon.com/apigateway/latest/api/API_Operations.html
 * @throws Error for a response that is none of success
 */
export async function callGateway(method: string, path: string, body: object = {}): Promise<AwsResponse> {
  const text = JSON.stringify(body);
  const response = await callAws({
    service: 'apigateway',
    method,
    path,
    contentType: 'application/json',
    body: text,
  });
  if (response.status >= 300) throw new Error(`${method} ${path} responded ${response.status}: ${response.text}`);
  return response;
}
