import { ORIGINS, originsOf } from '#contract';
import * as integrationSecrets from '../functions/integrations/secrets.ts';
import { SetupError } from '../shared/errors.ts';
import { isLoopback, originOf } from './gateway/hosts.ts';
import type { Throttling } from './gateway/options.ts';

/** Name of the one table on this machine. */
export const LOCAL_TABLE = 'custodia';

/** The value of `DATA_DIR` that keeps nothing. */
export const IN_MEMORY = ':memory:';

export interface LocalSettings {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Names of this machine, besides localhost, that requests may be for; undefined: none. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Directory of the embedded DynamoDB and of the local keys, or `:memory:`. */
  readonly dataDir: string;
  /** A DynamoDB that runs already; undefined: the embedded one. */
  readonly dynamoDbEndpoint: string | undefined;
  /** Secret of the platform integration; undefined: the one made at the first start. */
  readonly platformSecret: string | undefined;
  /** Requests a minute of an integration without a limit of its own; undefined: more than this machine can serve. */
  readonly rateLimit?: number | undefined;
  /** Origins whose pages may call; undefined: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** How many requests each route takes from all callers together, as in a stage; undefined: any number. */
  readonly throttling?: Throttling | undefined;
  /** Requests served at the same time; undefined: the gateway's limit. */
  readonly inFlight?: number | undefined;
  /** Where events may be delivered to; undefined: `loopback`. */
  readonly eventTargets?: EventTargets | undefined;
  /** Whether new tickets are found by words; undefined: `on`. */
  readonly ticketWords?: TicketWords | undefined;
}

/** `loopback`: also to http and https on this machine. `public`: as in a stage, to public addresses by https only. */
const EVENT_TARGETS = ['loopback', 'public'] as const;
export type EventTargets = (typeof EVENT_TARGETS)[number];

const TICKET_WORDS = ['on', 'off'] as const;
type TicketWords = (typeof TICKET_WORDS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings of `npm start` (`docs/decisions/0004`). An empty variable counts as unset.
 * @throws SetupError
 */
export const readSettings = (environment: Environment): LocalSettings => ({
  port: portOf(environment.PORT || '3000'),
  host: hostOf(environment.HOST || '127.0.0.1'),
  allowedHosts: allowedHostsOf(environment.ALLOWED_HOSTS || undefined),
  dataDir: environment.DATA_DIR || '.data',
  dynamoDbEndpoint: endpointOf(environment.DYNAMODB_ENDPOINT || undefined),
  platformSecret: secretOf(environment.PLATFORM_SECRET || undefined),
  rateLimit: limitOf(environment, 'RATE_LIMIT'),
  corsOrigins: corsOriginsOf(environment.CORS_ORIGINS || undefined),
  throttling: throttlingOf(environment),
  inFlight: limitOf(environment, 'IN_FLIGHT', ' at the same time'),
  eventTargets: wordOf(environment, 'EVENT_TARGETS', EVENT_TARGETS),
  ticketWords: wordOf(environment, 'TICKET_WORDS', TICKET_WORDS),
});

/**
 * Where `npm start` listens with these settings.
 * @throws SetupError, also for port 0
 */
export function addressOf(environment: Environment): string {
  const { port, host } = readSettings(environment);
  if (port > 0) return originOf(host, port);
  throw new SetupError('PORT=0 does not say where the API listens: pass --url with the address that npm start prints.');
}

/** The levels of the log of `npm start`, the most verbose first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The level of `LOG_LEVEL`, in any case. @throws SetupError */
export function readLogLevel({ LOG_LEVEL = '' }: Environment): LogLevel {
  const level = LOG_LEVELS.find((known) => known === LOG_LEVEL.toLowerCase());
  if (level !== undefined) return level;
  if (LOG_LEVEL === '') return 'info';
  throw new SetupError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${LOG_LEVEL}".`);
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new SetupError(`PORT must be a whole number from 0 to 65535 (0 takes any free port), not "${text}".`);
}

function limitOf(environment: Environment, variable: string, per = ' a minute'): number | undefined {
  const text = environment[variable] || undefined;
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SetupError(`${variable} must be a whole number of requests${per} from 1 to 999999999, not "${text}".`);
}

function corsOriginsOf(text: string | undefined): readonly string[] | undefined {
  const origins = text === undefined ? undefined : originsOf(text);
  if (text === undefined || origins !== undefined) return origins;
  throw new SetupError(`CORS_ORIGINS must be ${ORIGINS}, not "${text}".`);
}

/** The burst is twice the rate, as in a stage. */
function throttlingOf(environment: Environment): Throttling | undefined {
  const rate = limitOf(environment, 'THROTTLE_RATE', ' a second');
  return rate === undefined ? undefined : { rate, burst: 2 * rate };
}

/**
 * This server gives anybody a first key and keeps its signing key in a plain file, so it must not listen on a network.
 */
function hostOf(host: string): string {
  if (isLoopback(host)) return host;
  throw new SetupError(
    `HOST must be a loopback address (127.0.0.1, ::1 or localhost), not "${host}": this server is for one machine; ` +
      'deploy the stack to serve others.',
  );
}

function allowedHostsOf(text: string | undefined): readonly string[] | undefined {
  const hosts = text?.toLowerCase().split(',');
  if (hosts === undefined || hosts.every((host) => /^[a-z\d][a-z\d.-]*$/.test(host))) return hosts;
  throw new SetupError(`ALLOWED_HOSTS must be names of hosts, separated by commas, not "${text}".`);
}

/** One of the words that a variable may have; undefined where it is not set. */
function wordOf<const W extends string>(
  environment: Environment,
  variable: string,
  words: readonly W[],
): W | undefined {
  const text = environment[variable] || undefined;
  const word = words.find((known) => known === text);
  if (text === undefined || word !== undefined) return word;
  throw new SetupError(`${variable} must be ${words.join(' or ')}, not "${text}".`);
}

function endpointOf(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined || /^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) return endpoint;
  throw new SetupError(
    `DYNAMODB_ENDPOINT must be an http or https address such as http://127.0.0.1:8000, not "${endpoint}".`,
  );
}

function secretOf(secret: string | undefined): string | undefined {
  const finding =
    secret === undefined ? undefined : integrationSecrets.supplied().safeParse(secret).error?.issues[0]?.message;
  if (finding === undefined) return secret;
  throw new SetupError(`PLATFORM_SECRET ${finding}; leave it unset to have one made.`);
}
