import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { configureTable, environmentTable, RequestSession, type TenantId } from '#table';
import { inSession } from '../../shared/http/middleware/routing.ts';
import { problemOf } from '../../shared/http/problems.ts';
import { stsError, stsSession } from '../infra/account/account.ts';
import { chainEvent, RESPONSE, through } from '../support/chain.ts';
import { listening } from '../support/listening.ts';

/** Sessions of the tenant role, with an STS and a DynamoDB of the test's own. That AWS then confines them: `test/infra/isolation.stack.test.ts`. */

const MINUTE = 60_000;

/** Answers the next calls of STS in turn, then always the last: the life of a session in milliseconds, or an error. */
let replies: (number | string)[] = [];
/** Holds the answers of STS back until it resolves. */
let held: Promise<void> | undefined;
/** The forms that STS was sent. */
const asked: URLSearchParams[] = [];
let sts: Server;
let endpoint: string;
beforeAll(async () => {
  sts = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    asked.push(new URLSearchParams(Buffer.concat(chunks).toString()));
    const number = asked.length;
    // Whose clock is the test's, so that the SDK corrects nothing.
    response.sendDate = false;
    await held;
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? 60 * MINUTE;
    if (typeof reply === 'string') response.writeHead(reply === 'AccessDenied' ? 403 : 503).end(stsError(reply));
    else response.end(stsSession(credentials(number), Date.now() + reply));
  });
  endpoint = await listening(sts);
});
afterAll(() => void sts.close());

const credentials = (number: number) => ({
  AWS_ACCESS_KEY_ID: `SESSION${number}`,
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: `token${number}`,
});

/** Answers every request with an empty item, but the first ones with these errors; notes with which key each was signed. */
class Recorder extends NodeHttpHandler {
  readonly signedWith: string[] = [];
  readonly failures: string[] = [];

  override async handle(request: Parameters<NodeHttpHandler['handle']>[0]) {
    this.signedWith.push(/Credential=(\w+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '');
    const type = this.failures.shift();
    const body = Buffer.from(JSON.stringify(type === undefined ? {} : { __type: type, message: type }));
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    return { response: new HttpResponse({ statusCode: type === undefined ? 200 : 400, headers, body }) };
  }
}

let dynamoDb: Recorder;
/** The source of the times of renewals: at 0, five minutes before a session ends. */
const random = 0;
beforeEach(() => {
  // Unset after each test: other files share this process.
  const environment = {
    AWS_ENDPOINT_URL_STS: endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'OWN',
    AWS_SECRET_ACCESS_KEY: 'own',
    TABLE_NAME: 'records',
    TENANT_ROLE_ARN: 'arn:aws:iam::111122223333:role/tenant',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  dynamoDb = new Recorder();
  configureTable({ requestHandler: dynamoDb }, () => random);
  asked.length = 0;
  replies = [];
  held = undefined;
});

const tenantTable = (tenant: TenantId) => RequestSession.ofEnvironment(10_000).tables.of(tenant);
const newTenant = () => randomUUID() as TenantId;
const read = ({ client, name }: ReturnType<typeof tenantTable>) =>
  client.send(new GetCommand({ TableName: name, Key: { PK: 'a', SK: 'b' } }));

describe('a tenant’s table', () => {
  it('is reached in a session that is tagged with the tenant, and with nothing else', async () => {
    const tenant = newTenant();
    await read(tenantTable(tenant));
    expect(asked.map((form) => Object.fromEntries(form))).toEqual([
      {
        Action: 'AssumeRole',
        Version: '2011-06-15',
        RoleArn: 'arn:aws:iam::111122223333:role/tenant',
        RoleSessionName: `tenant-${tenant}`,
        DurationSeconds: '3600',
        'Tags.member.1.Key': 'tenant',
        'Tags.member.1.Value': tenant,
      },
    ]);
    expect(dynamoDb.signedWith).toEqual(['SESSION1']);
  });

  it('is each tenant’s own, and none is the function’s', async () => {
    const [acme, rival] = [newTenant(), newTenant()];
    for (const tenant of [acme, rival, acme]) await read(tenantTable(tenant));
    await read(environmentTable());
    expect(dynamoDb.signedWith).toEqual(['SESSION1', 'SESSION2', 'SESSION1', 'OWN']);
  });

  it('shares one session among requests that come at once', async () => {
    const tenant = newTenant();
    await Promise.all(Array.from({ length: 8 }, () => read(tenantTable(tenant))));
    expect([asked.length, new Set(dynamoDb.signedWith)]).toEqual([1, new Set(['SESSION1'])]);
  });

  it('gets a new session, once, when DynamoDB says that the old one has ended', async () => {
    const table = tenantTable(newTenant());
    dynamoDb.failures.push('ExpiredTokenException');
    await read(table);
    expect(dynamoDb.signedWith).toEqual(['SESSION1', 'SESSION2']);
    dynamoDb.failures.push('ExpiredTokenException', 'ExpiredTokenException');
    await expect(read(table)).rejects.toMatchObject({ name: 'ExpiredTokenException' });
    expect(asked).toHaveLength(3);
  });

  it('is kept for the hundred tenants used last', async () => {
    const [first, second] = [newTenant(), newTenant()];
    const [one, two] = [tenantTable(first), tenantTable(second)];
    for (let index = 0; index < 98; index++) tenantTable(newTenant());
    expect(tenantTable(first)).toBe(one);
    tenantTable(newTenant());
    expect([tenantTable(first) === one, tenantTable(second) === two]).toEqual([true, false]);
  });

  it('whose session AWS denies is not given another', async () => {
    dynamoDb.failures.push('AccessDeniedException');
    await expect(read(tenantTable(newTenant()))).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(asked).toHaveLength(1);
  });

  it('that is made anew needs no new session, and reaches no other tenant’s', async () => {
    const tenants = Array.from({ length: 150 }, newTenant);
    await Promise.all(tenants.map((tenant) => read(tenantTable(tenant))));
    const openedFor = asked.map((form) => form.get('Tags.member.1.Value'));
    expect(openedFor.toSorted()).toEqual(tenants.toSorted());
    dynamoDb.signedWith.length = 0;
    for (const tenant of tenants) await read(tenantTable(tenant));
    const signedFor = dynamoDb.signedWith.map((key) => openedFor[Number(key.slice('SESSION'.length)) - 1]);
    expect([signedFor, asked.length]).toEqual([tenants, 150]);
  });

  it('is not opened for what is no tenant', async () => {
    for (const text of ['*', '', 'platform', `${randomUUID()}*`, `${randomUUID()}\n`]) {
      await expect(read(tenantTable(text as TenantId)), text).rejects.toThrow(TypeError);
    }
    expect([asked.length, dynamoDb.signedWith.length]).toEqual([0, 0]);
  });

  it('is the function’s own where no role is named', () => {
    vi.stubEnv('TENANT_ROLE_ARN', undefined);
    expect(tenantTable(newTenant())).toBe(environmentTable());
  });
});

describe('a session', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
  });
  const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
  /** Holds STS back. @returns what lets it go */
  const hold = () => {
    const gate = Promise.withResolvers<void>();
    held = gate.promise;
    return gate.resolve;
  };
  /** Waits without letting time pass. */
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await nextTurn();
  };
  /** Reads, with so many milliseconds between, until a read is signed with this session. */
  const readUntil = async (table: ReturnType<typeof tenantTable>, session: string, between = 0) => {
    while (dynamoDb.signedWith.at(-1) !== session) {
      pass(between);
      await nextTurn();
      await read(table).catch(() => undefined);
    }
  };

  it('is renewed in its last five minutes, once and beside the work', async () => {
    const table = tenantTable(newTenant());
    await read(table);
    pass(55 * MINUTE - 1);
    await read(table);
    await nextTurn();
    expect(asked).toHaveLength(1);
    pass(1);
    const release = hold();
    await Promise.all([read(table), read(table)]);
    await read(table);
    await until(() => asked.length === 2);
    expect(new Set(dynamoDb.signedWith)).toEqual(new Set(['SESSION1']));
    release();
    await readUntil(table, 'SESSION2');
    pass(54 * MINUTE);
    await read(table);
    expect([dynamoDb.signedWith.at(-1), asked.length]).toEqual(['SESSION2', 2]);
  });

  it('that signs a URL lasts longer than the URL: otherwise the next one does', async () => {
    const tenant = newTenant();
    const signing = async () =>
      (await RequestSession.ofEnvironment(10_000).tables.credentialsOf(tenant, 16 * MINUTE)).accessKeyId;
    expect(await signing()).toBe('SESSION1');
    pass(44 * MINUTE - 1);
    expect([await signing(), asked.length]).toEqual(['SESSION1', 1]);
    pass(1);
    expect(await Promise.all([signing(), signing()])).toEqual(['SESSION2', 'SESSION2']);
    await read(tenantTable(tenant));
    expect([dynamoDb.signedWith.at(-1), asked.length]).toEqual(['SESSION2', 2]);
  });

  it('is not used in its last half minute: requests wait for the next', async () => {
    const table = tenantTable(newTenant());
    await read(table);
    pass(59.5 * MINUTE);
    await Promise.all([read(table), read(table)]);
    expect([dynamoDb.signedWith, asked.length]).toEqual([['SESSION1', 'SESSION2', 'SESSION2'], 2]);
  });

  it('is good until then although renewing fails, which is tried again, but not at once', async () => {
    replies = [60 * MINUTE, 'AccessDenied', 60 * MINUTE];
    const table = tenantTable(newTenant());
    await read(table);
    pass(55 * MINUTE);
    const { credentials } = table.client.config;
    const failing = (await credentials()).accessKeyId;
    await until(() => replies.length === 1);
    // Mostly the refusal has come in then; the reads are not to ask again at once.
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    for (let turn = 0; turn < 5; turn++) await read(table);
    expect([failing, dynamoDb.signedWith.at(-1), asked.length]).toEqual(['SESSION1', 'SESSION1', 2]);
    await readUntil(table, 'SESSION3', 1_000);
    expect(asked).toHaveLength(3);
  });

  it('is opened anew where opening it takes too long, as when Lambda froze the function half-way', async () => {
    const table = tenantTable(newTenant());
    const release = hold();
    const first = read(table);
    await until(() => asked.length === 1);
    pass(8_000);
    const second = read(table);
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(asked).toHaveLength(1);
    held = undefined;
    pass(2_000);
    await read(table);
    expect([dynamoDb.signedWith, asked.length]).toEqual([['SESSION2'], 2]);
    release();
    await Promise.all([first, second]);
    await read(table);
    // What comes late takes nobody's place.
    expect(new Set(dynamoDb.signedWith)).toEqual(new Set(['SESSION2']));
    expect([dynamoDb.signedWith.length, asked.length]).toEqual([4, 2]);
  });

  it('is opened once by a container whose clock is 60 days off, and by one whose clock is set right', async () => {
    const table = tenantTable(newTenant());
    const days = 60 * 24 * 60 * MINUTE;
    replies = [60 * MINUTE - days];
    for (let times = 0; times < 3; times++) await read(table);
    expect(asked).toHaveLength(1);
    pass(-days);
    dynamoDb.failures.push('ExpiredTokenException');
    for (let times = 0; times < 3; times++) await read(table);
    expect(asked).toHaveLength(2);
  });

  it('that a request begins to renew is waited for before its response, when Lambda may freeze the container', async () => {
    const tenant = newTenant();
    await read(tenantTable(tenant));
    pass(55 * MINUTE);
    const release = hold();
    const ended: string[] = [];
    const respond = async (name: string, handler: () => Promise<unknown>) => {
      await through([inSession(Date.now)], chainEvent(), async () => {
        await handler();
        return RESPONSE;
      });
      ended.push(name);
    };
    const renewing = respond('renewing', () => read(tenantTable(tenant)));
    await until(() => asked.length === 2);
    pass(1);
    const later = respond('later', async () => undefined);
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(ended).toEqual(['later']);
    release();
    await Promise.all([renewing, later]);
    await read(tenantTable(tenant));
    expect(dynamoDb.signedWith).toEqual(['SESSION1', 'SESSION1', 'SESSION2']);
  });

  it('is opened before the first call where its tenant is known before', async () => {
    const tenant = newTenant();
    const release = hold();
    const session = RequestSession.ofEnvironment(10_000);
    session.tables.open(tenant);
    session.tables.open(tenant);
    await until(() => asked.length === 1);
    expect(dynamoDb.signedWith).toEqual([]);
    release();
    await read(session.tables.of(tenant));
    expect([dynamoDb.signedWith, asked.length]).toEqual([['SESSION1'], 1]);
  });

  it('whose opening in advance failed is opened by the call', async () => {
    replies = ['AccessDenied', 60 * MINUTE];
    const tenant = newTenant();
    const session = RequestSession.ofEnvironment(10_000);
    session.tables.open(tenant);
    await readUntil(session.tables.of(tenant), 'SESSION2');
    expect([dynamoDb.signedWith, asked.length]).toEqual([['SESSION2'], 2]);
  });
});

describe('an STS that fails', () => {
  it.each(['Throttling', 'ServiceUnavailable'])(
    'in passing (%s) is a 503 that says when to come again',
    async (error) => {
      replies = [error, error, error, 60 * MINUTE];
      const table = tenantTable(newTenant());
      const problem = problemOf(await read(table).catch((cause: unknown) => cause));
      expect([problem.type, problem.headers]).toEqual(['unavailable', { 'Retry-After': '2' }]);
      await read(table);
      expect(dynamoDb.signedWith).toEqual(['SESSION4']);
    },
  );

  it('for good is a 500 without details', async () => {
    replies = ['AccessDenied'];
    const problem = problemOf(await read(tenantTable(newTenant())).catch((cause: unknown) => cause));
    expect([problem.type, problem.detail]).toEqual(['internal-error', undefined]);
  });
});
