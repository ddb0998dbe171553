import { createServer, type IncomingMessage } from 'node:http';
import { localConnection } from '#local-dynamodb';
import type { startObjectStore } from '../../../local/objects/index.ts';

import { callerIdentity } from '../../operator/fake-account.ts';
import { listening } from '../../support/listening.ts';
import { type Asked, isAllowed, mayAssume, mayUseKey, type Principal } from './iam.ts';
import { accessOf } from './item-access.ts';
import { type Deployed, queueArnAt } from './template.ts';

/**
 * An AWS account for a stack, as far as its functions reach: STS, which opens sessions of roles, DynamoDB and SQS
 * behind IAM, and KMS behind the policies of its keys. Every request is known by the access key that it is signed with,
 * and refused unless the template's policies allow it. (Signatures are not checked.)
 */
export interface Account {
  /** Gives credentials to a role, as Lambda does to a function. */
  readonly credentialsOf: (principal: Principal) => Record<string, string>;
  /** The secret by which a request to the bucket is signed, where the policies allow the request. */
  readonly secretOf: NonNullable<Parameters<typeof startObjectStore>[0]['secretOf']>;
  readonly stsEndpoint: string;
  readonly dynamoDbEndpoint: string;
  readonly kmsEndpoint: string;
  readonly sqsEndpoint: string;
  /** Every message that was sent to a queue, in order. Nobody receives them. */
  readonly messages: readonly Message[];
  /** The sessions opened so far, in order. */
  readonly sessions: readonly Principal[];
  /** Every request to the table, in order. */
  readonly requests: readonly TableRequest[];
  /** Every use of a key, in order. */
  readonly keyUses: readonly KeyUse[];
  /** Every request that was refused, to any service, in words. */
  readonly refusals: readonly string[];
  /** Forgets sessions and requests so far. */
  readonly forget: () => void;
  readonly close: () => void;
}

export interface TableRequest {
  readonly operation: string;
  readonly by: Principal;
  /** Every partition key that it touches, of the table or of an index. */
  readonly partitions: readonly string[];
}

export interface Message {
  readonly by: Principal;
  readonly body: string;
  /** The tenant by which the queue is fair. */
  readonly group: string;
  readonly delaySeconds: number;
}

export interface KeyUse {
  /** `Decrypt` */
  readonly operation: string;
  readonly by: Principal;
  /** The tenant that the encryption context names. */
  readonly tenant: string | undefined;
}

/** Values that no log and no error may contain, the same for all. */
export const SECRET_CREDENTIALS = {
  AWS_SECRET_ACCESS_KEY: 'secret-access-key-of-the-tests',
  AWS_SESSION_TOKEN: 'session-token-of-the-tests',
} as const;

/**
 * @param dynamoDb address of what is behind the account's DynamoDB
 * @param kms address of what is behind its KMS
 */
export async function openAccount(stack: Deployed, dynamoDb: string, kms: string): Promise<Account> {
  const holders = new Map<string, Principal>();
  const sessions: Principal[] = [];
  const requests: TableRequest[] = [];
  const keyUses: KeyUse[] = [];
  const messages: Message[] = [];
  const refusals: string[] = [];
  const credentialsOf = (principal: Principal): Record<string, string> => {
    const AWS_ACCESS_KEY_ID = `ASIA${String(holders.size).padStart(16, '0')}`;
    holders.set(AWS_ACCESS_KEY_ID, principal);
    return { AWS_ACCESS_KEY_ID, ...SECRET_CREDENTIALS };
  };
  const refuse = (by: Principal | undefined, what: string): void => {
    refusals.push(`${by?.roleArn ?? 'nobody'} ${JSON.stringify(by?.tags)} may not ${what}`);
  };

  const secretOf: Account['secretOf'] = (accessKeyId, { method, key, url }) => {
    const by = holders.get(accessKeyId);
    const [bucket = ''] = [...stack.resources].find(([, { Type }]) => Type === 'AWS::S3::Bucket') ?? [];
    const prefix = url.searchParams.get('prefix') ?? '';
    const action =
      key === ''
        ? 's3:ListBucketVersions'
        : `s3:${ACTIONS_ON_OBJECTS[method]}${url.searchParams.has('versionId') ? 'Version' : ''}`;
    const resource = `arn:aws:s3:::${bucket}${key === '' ? '' : `/${key}`}`;
    const context = key === '' ? { 's3:prefix': [prefix] } : {};
    const { AWS_SECRET_ACCESS_KEY: secret } = SECRET_CREDENTIALS;
    if (by !== undefined && isAllowed(stack, by, { action, resource, context })) return secret;
    refuse(by, `${action} ${resource}`);
    return undefined;
  };

  const sts = createServer(async (request, response) => {
    const form = new URLSearchParams(await bodyOf(request));
    const caller = holders.get(accessKeyOf(request));
    if (caller !== undefined && form.get('Action') === 'GetCallerIdentity') {
      response.writeHead(200, XML).end(callerIdentity(caller.roleArn));
      return;
    }
    const roleArn = form.get('RoleArn') ?? '';
    const tags = tagsIn(form);
    if (caller === undefined || !mayAssume(stack, caller, roleArn, tags)) {
      refuse(caller, `assume ${roleArn} with ${JSON.stringify(tags)}`);
      response.writeHead(403, XML).end(stsError('AccessDenied'));
      return;
    }
    const session = { roleArn, tags };
    sessions.push(session);
    response.writeHead(200, XML).end(stsSession(credentialsOf(session)));
  });

  /**
   * A service in front of the engine. `denied` returns the actions of a request that its signer may not do; `note`
   * records the others.
   */
  const guarded = (
    behind: string,
    type: Record<string, string>,
    denied: (by: Principal, operation: string, body: unknown) => Asked | undefined,
    note: (by: Principal, operation: string, body: unknown) => void,
  ) => {
    const { endpoint, credentials } = localConnection(behind);
    return createServer(async (request, response) => {
      const body = await bodyOf(request);
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
      const by = holders.get(accessKeyOf(request));
      const refused = by === undefined ? undefined : denied(by, operation, JSON.parse(body));
      if (by === undefined || refused !== undefined) {
        refuse(by, `${refused?.action ?? operation} ${JSON.stringify(refused?.context)}`);
        const __type = 'com.amazon.coral.service#AccessDeniedException';
        response.writeHead(400, type).end(JSON.stringify({ __type, message: 'not authorized' }));
        return;
      }
      note(by, operation, JSON.parse(body));
      const reply = await fetch(endpoint, {
        method: 'POST',
        headers: forwarded(request, credentials.accessKeyId),
        body,
      });
      response.writeHead(reply.status, type).end(await reply.text());
    });
  };
  const table = guarded(
    dynamoDb,
    JSON_1_0,
    (by, operation, body) => accessOf(operation, body, stack.tableArn).find((each) => !isAllowed(stack, by, each)),
    (by, operation, body) => {
      requests.push({ operation, by, partitions: accessOf(operation, body, stack.tableArn).flatMap(partitionsOf) });
    },
  );
  const keys = guarded(
    kms,
    JSON_1_1,
    (by, operation, body) => {
      const asked = keyUseIn(operation, body);
      return mayUseKey(stack, by, asked) ? undefined : asked;
    },
    (by, operation, body) => {
      keyUses.push({ operation, by, tenant: keyUseIn(operation, body).context[TENANT_IN_CONTEXT]?.[0] });
    },
  );

  const queues = createServer(async (request, response) => {
    const { QueueUrl, Entries } = JSON.parse(await bodyOf(request)) as SendMessageBatch;
    const by = holders.get(accessKeyOf(request));
    const asked = { action: 'sqs:SendMessage', resource: queueArnAt(QueueUrl), context: {} };
    if (by === undefined || !isAllowed(stack, by, asked)) {
      refuse(by, `${asked.action} to ${QueueUrl}`);
      response.writeHead(400, JSON_1_0).end('{"__type":"com.amazonaws.sqs#AccessDeniedException","message":"no"}');
      return;
    }
    for (const { MessageBody: body, MessageGroupId: group, DelaySeconds: delaySeconds } of Entries)
      messages.push({ by, body, group, delaySeconds });
    response.writeHead(200, JSON_1_0).end(JSON.stringify({ Successful: Entries.map(({ Id }) => ({ Id })) }));
  });

  const servers = [sts, table, keys, queues];
  const [stsEndpoint, dynamoDbEndpoint, kmsEndpoint, sqsEndpoint] = await Promise.all(servers.map(listening));
  return {
    credentialsOf,
    secretOf,
    stsEndpoint: stsEndpoint ?? '',
    dynamoDbEndpoint: dynamoDbEndpoint ?? '',
    kmsEndpoint: kmsEndpoint ?? '',
    sqsEndpoint: sqsEndpoint ?? '',
    sessions,
    requests,
    keyUses,
    messages,
    refusals,
    forget: () => {
      sessions.length = 0;
      requests.length = 0;
      keyUses.length = 0;
    },
    close: () => servers.forEach((server) => void server.close()),
  };
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
interface SendMessageBatch {
  readonly QueueUrl: string;
  readonly Entries: readonly {
    readonly Id: string;
    readonly MessageBody: string;
    readonly MessageGroupId: string;
    readonly DelaySeconds: number;
  }[];
}

const partitionsOf = ({ context }: Asked): readonly string[] => context['dynamodb:LeadingKeys'] ?? [];

const TENANT_IN_CONTEXT = 'kms:EncryptionContext:tenant';

/** What a request to KMS asks of a key's policy: its action, on which key, with which encryption context. */
function keyUseIn(operation: string, body: unknown): Asked {
  const { KeyId, EncryptionContext = {} } = body as { KeyId: string; EncryptionContext?: Record<string, string> };
  const context = Object.entries(EncryptionContext).map(([key, value]) => [`kms:EncryptionContext:${key}`, [value]]);
  return { action: `kms:${operation}`, resource: KeyId, context: Object.fromEntries(context) };
}

/** What the policies of S3 call the methods. */
const ACTIONS_ON_OBJECTS: Readonly<Record<string, string>> = {
  GET: 'GetObject',
  HEAD: 'GetObject',
  PUT: 'PutObject',
  DELETE: 'DeleteObject',
};

const ACCESS_KEY = /Credential=(\w+)\//;

const accessKeyOf = ({ headers }: IncomingMessage): string => ACCESS_KEY.exec(headers.authorization ?? '')?.[1] ?? '';

/** DynamoDB Local knows one access key only, and checks no signature. */
const forwarded = ({ headers }: IncomingMessage, accessKeyId: string): Record<string, string> => ({
  'content-type': String(headers['content-type']),
  'x-amz-target': String(headers['x-amz-target']),
  'x-amz-date': String(headers['x-amz-date']),
  authorization: (headers.authorization ?? '').replace(ACCESS_KEY, `Credential=${accessKeyId}/`),
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** `Tags.member.1.Key=tenant&Tags.member.1.Value=…`, as the query protocol writes a list. */
function tagsIn(form: URLSearchParams): Record<string, string> {
  const tags: Record<string, string> = {};
  for (let index = 1; form.has(`Tags.member.${index}.Key`); index++) {
    tags[form.get(`Tags.member.${index}.Key`) ?? ''] = form.get(`Tags.member.${index}.Value`) ?? '';
  }
  return tags;
}

const XML = { 'content-type': 'text/xml' };
const JSON_1_1 = { 'content-type': 'application/x-amz-json-1.1' };
const JSON_1_0 = { 'content-type': 'application/x-amz-json-1.0' };

/** How long the sessions last that STS opens, in milliseconds. */
const SESSION_MS = 3_600_000;

export const stsSession = (credentials: Record<string, string>, endsAt = Date.now() + SESSION_MS): string =>
  `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
    <AccessKeyId>${credentials.AWS_ACCESS_KEY_ID}</AccessKeyId>
    <SecretAccessKey>${credentials.AWS_SECRET_ACCESS_KEY}</SecretAccessKey>
    <SessionToken>${credentials.AWS_SESSION_TOKEN}</SessionToken>
    <Expiration>${new Date(endsAt).toISOString()}</Expiration>
  </Credentials></AssumeRoleResult></AssumeRoleResponse>`;

export const stsError = (code: string): string =>
  `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`;
