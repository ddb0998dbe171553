import { createServer } from 'node:http';
import { listening } from '../support/listening.ts';

/** AWS's responses about an account, over HTTP: STS, Lambda, API Gateway and CloudTrail. */
export interface AccountResponses {
  readonly executions: number;
  readonly codeSize: number;
  readonly rateLimit: number;
  readonly logRole: string | null | undefined;
  readonly trails: readonly Trail[];
}

interface Trail {
  readonly name: string;
  readonly isLogging: boolean;
  readonly selectors: object;
}

export interface FakeAccount {
  /** What to set for a process that is to ask here. */
  readonly variables: Readonly<Record<string, string>>;
  /** The response to the next call of a service, with its status first. */
  readonly fail: (service: string, times: number, status: number, body: object) => void;
  readonly calls: string[];
  replies: AccountResponses;
  readonly stop: () => void;
}

export const USUAL: AccountResponses = {
  executions: 1_000,
  codeSize: 1_000_000,
  rateLimit: 10_000,
  logRole: 'arn:aws:iam::111122223333:role/api-gateway-log-role-Role1ABAEE21-x',
  trails: [
    {
      name: 'management-events',
      isLogging: true,
      selectors: { EventSelectors: [{ ReadWriteType: 'All', IncludeManagementEvents: true }] },
    },
  ],
};

/** What STS says of a caller. */
export const callerIdentity = (arn: string): string =>
  `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
  <Arn>${arn}</Arn><UserId>AROA:me</UserId><Account>111122223333</Account>
</GetCallerIdentityResult></GetCallerIdentityResponse>`;

export async function startFakeAccount(): Promise<FakeAccount> {
  const failures: { service: string; status: number; body: object }[] = [];
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const target = String(request.headers['x-amz-target'] ?? '');
    // As signed: `…/20261122/eu-west-1/lambda/aws4_request`.
    const service = /\/([\w-]+)\/aws4_request/.exec(request.headers.authorization ?? '')?.[1] ?? 'unsigned';
    calls.push(`${service} ${target.split('.').at(-1) || request.url}`);
    const failure = failures.findIndex((each) => each.service === service);
    if (failure >= 0) {
      const [{ status, body: said } = { status: 500, body: {} }] = failures.splice(failure, 1);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    } else if (service === 'sts')
      response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(callerIdentity('arn:aws:sts::111122223333:assumed-role/Admin/me'));
    else {
      const reply = responseOf(account.replies, service, target.split('.').at(-1) ?? '', body);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    }
  });
  const endpoint = await listening(server);
  const services = ['STS', 'LAMBDA', 'API_GATEWAY', 'CLOUDTRAIL'];
  const account: FakeAccount = {
    variables: Object.fromEntries(services.map((name) => [`AWS_ENDPOINT_URL_${name}`, endpoint])),
    fail: (service, times, status, body) => {
      failures.push(...Array.from({ length: times }, () => ({ service, status, body })));
    },
    calls,
    replies: USUAL,
    stop: () => server.close(),
  };
  return account;
}

function responseOf(replies: AccountResponses, service: string, action: string, body: string): object {
  if (service === 'lambda') {
    return {
      AccountLimit: { ConcurrentExecutions: replies.executions, TotalCodeSize: 80_530_636_800 },
      AccountUsage: { TotalCodeSize: replies.codeSize },
    };
  }
  if (service === 'apigateway') {
    const throttleSettings = { burstLimit: 5_000, rateLimit: replies.rateLimit };
    return { ...(replies.logRole !== undefined && { cloudwatchRoleArn: replies.logRole }), throttleSettings };
  }
  const arnOf = (name: string): string => `arn:aws:cloudtrail:eu-west-1:111122223333:trail/${name}`;
  if (action === 'DescribeTrails') {
    return { trailList: replies.trails.map(({ name }) => ({ Name: name, TrailARN: arnOf(name) })) };
  }
  const asked = JSON.parse(body) as { Name?: string; TrailName?: string };
  const trail = replies.trails.find(({ name }) => arnOf(name) === (asked.Name ?? asked.TrailName));
  return action === 'GetTrailStatus' ? { IsLogging: trail?.isLogging } : { ...trail?.selectors };
}
