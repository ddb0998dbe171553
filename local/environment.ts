import { localConnection } from '#local-dynamodb';
import { AT_ONCE } from './deliveries/queue.ts';
import { AUTHORIZER_TTL_SECONDS } from './gateway/options.ts';
import type { EventTargets } from './settings.ts';

export interface FunctionEnvironment {
  readonly tableName: string;
  /** Endpoint of DynamoDB, with its access key where it requires one. */
  readonly endpoint: string;
  /** File with keys, used instead of KMS. */
  readonly keyFile: string;
  readonly firstKey: boolean;
  /** Requests a minute of an integration without a limit of its own. Default {@link GENEROUS_LIMIT}. */
  readonly rateLimit?: number | undefined;
  /** Limits of an organization. Default: those of the functions. */
  readonly maxIntegrations?: number | undefined;
  readonly maxWebhookEndpoints?: number | undefined;
  readonly maxWebhookPings?: number | undefined;
  /** How long the gateway keeps a response of the authorizer, in seconds. Default {@link AUTHORIZER_TTL_SECONDS}. */
  readonly authorizerTtlSeconds?: number | undefined;
  /** Origins whose pages may call. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Where events may be delivered to. Default: `loopback`. */
  readonly eventTargets?: EventTargets | undefined;
  /** Whether new tickets are found by words. Default: yes. */
  readonly ticketWords?: 'on' | 'off' | undefined;
  /** Address of the bucket of attachments. Default: none. */
  readonly attachmentsUrl?: string | undefined;
  /** Whether the functions write the access lines that they write in AWS. Default: no. */
  readonly accessLines?: boolean | undefined;
}

/** More than this machine can serve: a benchmark must not measure the limit. */
const GENEROUS_LIMIT = 1_000_000;

/** Variables of the machine's own AWS configuration that would take precedence over those set here. */
const FOREIGN = ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_DEFAULT_REGION', 'TENANT_ROLE_ARN'];

/** Gives this process the environment that the functions read, as Lambda would. */
export function setFunctionEnvironment({
  tableName,
  endpoint,
  keyFile,
  firstKey,
  ...given
}: FunctionEnvironment): void {
  const { region, credentials, ...dynamoDb } = localConnection(endpoint);
  for (const variable of FOREIGN) delete process.env[variable];
  Object.assign(process.env, {
    TABLE_NAME: tableName,
    DYNAMODB_ENDPOINT: dynamoDb.endpoint,
    KEY_FILE: keyFile,
    CORS_ORIGINS: given.corsOrigins?.join() ?? '',
    EVENT_TARGETS: given.eventTargets ?? 'loopback',
    DELIVERY_CONCURRENCY: String(AT_ONCE),
    TICKET_WORDS: given.ticketWords ?? 'on',
    ATTACHMENTS_URL: given.attachmentsUrl ?? '',
    ATTACHMENT_QUOTA: '',
    FIRST_KEY: firstKey ? 'on' : 'off',
    RATE_LIMIT: String(given.rateLimit ?? GENEROUS_LIMIT),
    // The functions derive it.
    TENANT_RATE_LIMIT: '',
    MAX_INTEGRATIONS: String(given.maxIntegrations ?? ''),
    MAX_WEBHOOK_ENDPOINTS: String(given.maxWebhookEndpoints ?? ''),
    MAX_WEBHOOK_PINGS: String(given.maxWebhookPings ?? ''),
    AUTHORIZER_CACHE_SECONDS: String(given.authorizerTtlSeconds ?? AUTHORIZER_TTL_SECONDS),
    METRICS_NAMESPACE: given.accessLines ? 'Custodia/local' : '',
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  });
}
