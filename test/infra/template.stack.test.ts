import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { settingsFrom } from '../../infra/settings.ts';
import { withDefaults } from '../../local/gateway/options.ts';
import { bodyIn, bodyWith } from './api-body.ts';
import { assemble, BROUGHT, EVERYTHING, resourcesIn, resourcesOf, synthesize } from './synthesize.ts';

let template: Template;
beforeAll(() => {
  template = synthesize({ context: { alarmEmail: 'ops@example.com', tenantRateLimit: '2000' } }).application;
});

/** Every setting, the longest values that there may be of those that make the template large, and what the `cdk` command adds. */
const LARGEST = {
  ...EVERYTHING,
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:enable-asset-metadata': true,
  corsOrigins: Array.from({ length: 20 }, (_, index) => `https://${'a'.repeat(122)}-${index + 10}.example.com`).join(),
  stage: 'a'.repeat(20),
};

describe('whatever is set', () => {
  test('there is room for other domains, of about ten resources each', () => {
    const { application, operations } = synthesize({ context: LARGEST });
    const ids = Object.keys(resourcesIn(application));
    expect(ids.length).toBeGreaterThan(Object.keys(resourcesIn(template)).length);
    expect(ids.length, 'see docs/decisions/0151').toBeLessThanOrEqual(260);
    const [serving, watching] = [ids, Object.keys(resourcesIn(operations))].map((all) =>
      all.filter((id) => /tickets/i.test(id)),
    );
    expect(serving?.length).toBeGreaterThan(5);
    expect(serving?.length, serving?.join()).toBeLessThanOrEqual(8);
    expect(watching?.length, watching?.join()).toBeLessThanOrEqual(3);
  });

  test('no template comes near the 1 MB that CloudFormation takes', () => {
    const sizes = assemble({ context: LARGEST }, (_, directory) =>
      globSync(join(directory, '*.template.json')).map((file) => statSync(file).size),
    );
    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.max(...sizes), 'see docs/decisions/0151').toBeLessThanOrEqual(600_000);
  });

  test('the variables of a function fit into the 4 KB that Lambda takes', () => {
    // What a reference becomes, the ARN of a key or of a role, is shorter.
    const sizeOf = (value: unknown): number => (typeof value === 'string' ? value.length : 200);
    for (const [id, { Properties }] of resourcesOf(
      synthesize({ context: LARGEST }).application,
      'AWS::Lambda::Function',
    )) {
      const { Variables } = Properties.Environment as { readonly Variables: Readonly<Record<string, unknown>> };
      const sizes = Object.entries(Variables).map(([name, value]) => name.length + sizeOf(value));
      expect(
        sizes.reduce((sum, size) => sum + size),
        id,
      ).toBeLessThan(4_096);
    }
  });

  test('roles have their rights written into them: no resource is a policy', () => {
    for (const context of [{}, LARGEST]) synthesize({ context }).application.resourceCountIs('AWS::IAM::Policy', 0);
  });
});

describe('the API', () => {
  test('is imported as one document, which is all that there is of it', () => {
    const everything = synthesize({ context: EVERYTHING }).application;
    expect(bodyIn(everything)).toEqual(bodyWith(EVERYTHING));
    everything.hasResourceProperties('AWS::ApiGateway::RestApi', {
      Name: 'custodia-dev',
      Mode: 'overwrite',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      Parameters: { endpointConfigurationTypes: 'REGIONAL', ignore: 'documentation' },
      BinaryMediaTypes: Match.absent(),
      MinimumCompressionSize: Match.absent(),
    });
    for (const type of ['Method', 'Resource', 'GatewayResponse', 'Authorizer'])
      everything.resourceCountIs(`AWS::ApiGateway::${type}`, 0);
  });

  test('knows the origins of pages by variables of its stage, and tells its functions', () => {
    const everything = synthesize({ context: EVERYTHING }).application;
    const [, ...others] = EVERYTHING.corsOrigins?.split(',') ?? [];
    expect(others).toHaveLength(1);
    everything.hasResourceProperties('AWS::ApiGateway::Stage', { Variables: { origin2: others[0] } });
    for (const [, { Properties }] of resourcesOf(everything, 'AWS::Lambda::Function'))
      expect(Properties.Environment).toMatchObject({ Variables: { CORS_ORIGINS: EVERYTHING.corsOrigins } });
  });
});

test('nothing is deployed but what serves the API: no custom resource, no function on the side', () => {
  expect(Object.values(resourcesIn(template)).filter(({ Type }) => Type.startsWith('Custom::'))).toEqual([]);
  template.resourceCountIs('AWS::Lambda::Function', contracts.length + 1);
});

test('functions run on Node 24 and arm64, with a log group of their own', () => {
  const groups = new Set<string>();
  for (const [, { Properties }] of resourcesOf(template, 'AWS::Lambda::Function')) {
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Timeout: 29,
      LoggingConfig: { LogFormat: 'JSON' },
      Environment: { Variables: { TABLE_NAME: expect.anything(), STAGE: 'dev', FIRST_KEY: 'off' } },
    });
    groups.add(JSON.stringify(Properties.LoggingConfig));
  }
  expect(groups.size).toBe(contracts.length + 1);
});

test('every log group forgets', () => {
  const groups = resourcesOf(template, 'AWS::Logs::LogGroup').map(([, { Properties }]) => Properties);
  expect(groups.length).toBe(contracts.length + 3);
  for (const group of groups) expect(group.RetentionInDays).toBe(90);
});

test('the stage has limits', () => {
  template.hasResourceProperties('AWS::ApiGateway::Stage', {
    StageName: 'dev',
    MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 }],
  });
});

describe('the access log', () => {
  const format = () => {
    const [[, stage] = []] = resourcesOf(template, 'AWS::ApiGateway::Stage');
    return ((stage?.Properties.AccessLogSetting ?? {}) as { Format?: string }).Format ?? '';
  };

  test('names the request, the caller, and how the gateway ended it', () => {
    expect(JSON.parse(format())).toMatchObject({
      request_id: '$context.requestId',
      org_id: '$context.authorizer.org_id',
      status: '$context.status',
      error: '$context.error.responseType',
    });
  });

  test('is JSON whatever was asked: what a caller writes, and messages that may quote it, are not in it', () => {
    // Numbers, ids and closed sets of words, of AWS and of our authorizer.
    const harmless = new Set([
      ...['requestTimeEpoch', 'requestId', 'status', 'responseLength', 'responseLatency', 'waf.status'],
      ...['identity.sourceIp', 'domainName', 'httpMethod', 'resourcePath', 'error.responseType'],
      ...['integration.latency', 'integration.status', 'integration.requestId'],
      ...[
        'authorizer.requestId',
        'authorizer.latency',
        'authorizer.status',
        'authorizer.integration_id',
        'authorizer.org_id',
      ],
    ]);
    const line = format().replaceAll(/\$context\.([\w.]+)/g, (_, name: string) => (harmless.has(name) ? '-' : '"\\'));
    expect(() => JSON.parse(line), line).not.toThrow();
    expect(new Set(Object.values(JSON.parse(line)))).toEqual(new Set(['-']));
  });
});

test('every function knows the limits of its stage, and how long it keeps audit events', () => {
  for (const [, { Properties }] of resourcesOf(template, 'AWS::Lambda::Function')) {
    const variables = {
      RATE_LIMIT: '600',
      TENANT_RATE_LIMIT: '2000',
      MAX_INTEGRATIONS: '200',
      AUDIT_RETENTION_DAYS: '400',
    };
    expect(Properties.Environment).toMatchObject({ Variables: variables });
  }
});

test('the authorizer knows how long the gateway keeps its answers, as it does those that the gateway does not keep', () => {
  const [, authorizer] =
    resourcesOf(template, 'AWS::Lambda::Function').find(([id]) => id.startsWith('Functionsauthorizer')) ?? [];
  expect(authorizer?.Properties.Environment).toMatchObject({ Variables: { AUTHORIZER_CACHE_SECONDS: '60' } });
});

describe('settings', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'custodia-'));
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  const settings = (context: Record<string, unknown>) => settingsFrom(new App({ outdir, context }).node);

  test('have defaults that protect', () => {
    expect(settings({})).toMatchObject({
      stage: 'dev',
      firstKey: false,
      deletionProtection: true,
      logRetentionDays: 90,
    });
  });

  test('keep the authorizer’s answers as long as the local gateway does, and five minutes at most', () => {
    const { authorizerTtlSeconds } = withDefaults({ contracts: [], loadFunction: async () => () => undefined });
    expect(settings({}).authorizerCacheSeconds).toBe(authorizerTtlSeconds);
    expect(settings({ authorizerCacheSeconds: '0' }).authorizerCacheSeconds).toBe(0);
    expect(() => settings({ authorizerCacheSeconds: '301' })).toThrow(/authorizerCacheSeconds: /);
  });

  test('have other defaults with the profile small, where a stage does not say otherwise', () => {
    const chosen = ({ firewall, alarms, heartbeat, dashboard, deployment }: ReturnType<typeof settings>) =>
      ({ firewall, alarms, heartbeat, dashboard, deployment }) as const;
    const standard = { firewall: true, alarms: 'all', heartbeat: true, dashboard: true, deployment: 'canary' };
    const small = { firewall: false, alarms: 'ten', heartbeat: false, dashboard: false, deployment: 'all-at-once' };
    const asTexts = (choice: object) => Object.fromEntries(Object.entries(choice).map(([k, v]) => [k, String(v)]));
    expect(chosen(settings({ stage: 'prod' }))).toEqual(standard);
    expect(chosen(settings({ stage: 'prod', profile: 'small' }))).toEqual(small);
    expect(chosen(settings({ stage: 'prod', profile: 'small', ...asTexts(standard) }))).toEqual(standard);
    expect(chosen(settings({ stage: 'prod', profile: 'standard', ...asTexts(small) }))).toEqual(small);
    expect(() => settings({ profile: 'tiny' })).toThrow(/profile: /);
  });

  test('name a web ACL in place of a firewall', () => {
    const { webAclArn } = BROUGHT;
    expect(settings({ webAclArn })).toMatchObject({ firewall: false, webAclArn });
    expect(() => settings({ webAclArn, firewall: 'true' })).toThrow(/webAclArn: .*not both/);
    expect(() => settings({ webAclArn: webAclArn.replace('regional', 'global') })).toThrow(/webAclArn: /);
  });

  test('let anybody send a tenth of what an address may, or what a stage says', () => {
    expect(settings({}).anonymousAddressLimit).toBe(1_000);
    expect(settings({ addressLimit: '50' }).anonymousAddressLimit).toBe(10);
    expect(settings({ anonymousAddressLimit: '77' }).anonymousAddressLimit).toBe(77);
    expect(() => settings({ anonymousAddressLimit: '10001' })).toThrow(/anonymousAddressLimit: more than addressLimit/);
  });

  test('are texts on the command line', () => {
    expect(settings({ firstKey: 'true', deletionProtection: 'false', throttleRate: '50' })).toMatchObject({
      firstKey: true,
      deletionProtection: false,
      throttleRate: 50,
    });
  });

  test('that cannot be used are named, all of them', () => {
    expect(() => settings({ stage: 'Prod!', logRetentionDays: '31' })).toThrow(/stage: .*\n.*logRetentionDays: /);
  });
});
