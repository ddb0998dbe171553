import { EndpointError, partition } from '@aws-sdk/core/client';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import type { EndpointV2 } from './steps.ts';

/**
 * Where a service is called. Host names begin with its endpoint prefix, which is also the name in signatures; variables
 * such as `AWS_ENDPOINT_URL_CLOUDWATCH_LOGS` end with its service id
 * (https://docs.aws.amazon.com/sdkref/latest/guide/ss-endpoints-table.html).
 */
const SERVICE_IDS = {
  apigateway: 'API Gateway',
  backup: 'Backup',
  cloudformation: 'CloudFormation',
  cloudtrail: 'CloudTrail',
  dynamodb: 'DynamoDB',
  kms: 'KMS',
  lambda: 'Lambda',
  logs: 'CloudWatch Logs',
  sqs: 'SQS',
  sts: 'STS',
} as const;
export type ServiceName = keyof typeof SERVICE_IDS;

/** In the partition `aws-us-gov` the usual host of these services is the FIPS one. */
const FIPS_BY_DEFAULT: readonly ServiceName[] = ['cloudformation', 'cloudtrail', 'dynamodb', 'logs', 'sqs', 'sts'];

/** The settings of a client that say where to call. */
export interface EndpointConfig {
  readonly region: () => Promise<string>;
  readonly useFipsEndpoint: () => Promise<boolean>;
  readonly useDualstackEndpoint: () => Promise<boolean>;
}

/** What the rules of an endpoint depend on. */
interface EndpointParameters {
  readonly Region: string;
  readonly Endpoint?: string | undefined;
  readonly UseFIPS?: boolean;
  readonly UseDualStack?: boolean;
}

const INSTRUCTIONS = {
  Region: { type: 'builtInParams', name: 'region' },
  Endpoint: { type: 'builtInParams', name: 'endpoint' },
  UseFIPS: { type: 'builtInParams', name: 'useFipsEndpoint' },
  UseDualStack: { type: 'builtInParams', name: 'useDualstackEndpoint' },
} as const;

/**
 * The endpoint of a service, as the SDK chooses it: by `AWS_ENDPOINT_URL_<SERVICE>`, `AWS_ENDPOINT_URL`, or the same in
 * the shared configuration file, unless `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS` is set; otherwise in the client's region,
 * with its settings for FIPS and dual-stack endpoints
 * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html).
 * @throws EndpointError for settings that cannot be combined
 */
export async function endpointOf(config: EndpointConfig, name: ServiceName): Promise<EndpointV2> {
  const settings = {
    region: config.region,
    useFipsEndpoint: config.useFipsEndpoint,
    useDualstackEndpoint: config.useDualstackEndpoint,
    serviceId: SERVICE_IDS[name],
    endpointProvider: (parameters: EndpointParameters) => ({ url: addressOf(name, parameters), properties: {} }),
  };
  const supplier = { getEndpointParameterInstructions: () => INSTRUCTIONS };
  return await getEndpointFromInstructions({}, supplier as never, settings as never, {});
}

/** The rules for endpoints that these services have in common. */
function addressOf(name: ServiceName, { Region, Endpoint, UseFIPS, UseDualStack }: EndpointParameters): URL {
  if (Endpoint !== undefined) {
    if (UseFIPS) throw new EndpointError('Invalid Configuration: FIPS and custom endpoint are not supported');
    if (UseDualStack) throw new EndpointError('Invalid Configuration: Dualstack and custom endpoint are not supported');
    return new URL(Endpoint);
  }
  const { name: partitionName, dnsSuffix, dualStackDnsSuffix } = partition(Region);
  const isUsual = partitionName === 'aws-us-gov' && !UseDualStack && FIPS_BY_DEFAULT.includes(name);
  const host = UseFIPS && !isUsual ? `${name}-fips` : name;
  return new URL(`https://${host}.${Region}.${UseDualStack ? dualStackDnsSuffix : dnsSuffix}`);
}
