import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import recommended from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { anonymousLimit } from '../../infra/firewall.ts';
import { applyStageFile, type Settings, settingsFrom } from '../../infra/settings.ts';
import { withDefaults } from '../../local/gateway/options.ts';
import { freshDirectory } from '../support/directory.ts';
import { BROUGHT, CDK_CONTEXT } from './synthesize.ts';

/** The settings of a stage. Their effects are in `properties.stack.test.ts`. */

const settings = (context: Readonly<Record<string, unknown>>): Settings => settingsFrom(new App({ context }).node);

const { webAclArn } = BROUGHT;
const VAULT = 'arn:aws:backup:eu-central-1:111122223333:backup-vault:custodia';
const DOMAIN = {
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a60',
};
const TOO_LONG = Array.from({ length: 20 }, (_, index) => `https://${'a'.repeat(128)}-${index}.example.com`).join();

describe('settings', () => {
  it('protect by default, and are texts on the command line', () => {
    expect(settings({})).toMatchObject({
      stage: 'dev',
      firstKey: false,
      deletionProtection: true,
      logRetentionDays: 90,
    });
    const given = { firstKey: 'true', deletionProtection: 'false', throttleRate: '50' };
    expect(settings(given)).toMatchObject({ firstKey: true, deletionProtection: false, throttleRate: 50 });
  });

  it('keep the authorizer’s responses as long as the local gateway does', () => {
    const { authorizerTtlSeconds } = withDefaults({ contracts: [], loadFunction: async () => () => undefined });
    expect(settings({}).authorizerCacheSeconds).toBe(authorizerTtlSeconds);
  });

  it('have other defaults with the profile small, where a stage does not say otherwise', () => {
    const standard = { deployment: 'canary', deliveryConcurrency: 50 };
    const small = { deployment: 'all-at-once', deliveryConcurrency: 5 };
    expect(settings({ stage: 'prod' })).toMatchObject(standard);
    expect(settings({ stage: 'prod', profile: 'small' })).toMatchObject(small);
    expect(settings({ stage: 'prod', profile: 'small', ...standard })).toMatchObject(standard);
    expect(settings({ stage: 'prod', profile: 'standard', ...small })).toMatchObject(small);
  });

  it('deploy dev all at once, and every other stage by canary', () => {
    const chosen = [{}, { stage: 'prod' }, { stage: 'prod', deployment: 'all-at-once' }].map(settings);
    expect(chosen.map(({ deployment }) => deployment)).toEqual(['all-at-once', 'canary', 'all-at-once']);
  });

  it('let anybody send a tenth of what an address may, and at least ten requests', () => {
    expect([10_000, 50].map((addressLimit) => anonymousLimit({ addressLimit }))).toEqual([1_000, 10]);
  });

  it('that cannot be used are named, all of them', () => {
    expect(() => settings({ stage: 'Prod!', logRetentionDays: '31' })).toThrow(/stage: .*\n.*logRetentionDays: /);
  });

  it.each<[RegExp, ...Record<string, unknown>[]]>([
    // Their stacks would be those of another stage.
    [/stage: /, ...['custodia-prod-data', 'prod-ops', 'prod-api', 'a-data', 'prod-github'].map((stage) => ({ stage }))],
    [/profile: /, { profile: 'tiny' }],
    [/authorizerCacheSeconds: /, { authorizerCacheSeconds: '301' }],
    [/webAclArn: /, { webAclArn: webAclArn.replace('regional', 'global') }],
    [/domainName, certificateArn: both or neither/, { domainName: DOMAIN.domainName }],
    [/both or neither/, { certificateArn: DOMAIN.certificateArn }],
    [
      /domainName: /,
      ...['https://api.a.example', 'API.a.example', 'localhost'].map((domainName) => ({ ...DOMAIN, domainName })),
    ],
    [/certificateArn: /, { ...DOMAIN, certificateArn: 'arn:aws:iam::1:server-certificate/x' }],
    [
      /corsOrigins: up to 20 origins/,
      ...['https://*.a.example', 'https://a.example/', '*,https://a.example', TOO_LONG].map((corsOrigins) => ({
        corsOrigins,
      })),
    ],
    [/tokenKeys: the same number twice/, { tokenKeys: '1,1' }],
    [/tokenKeys: /, { tokenKeys: 'a' }],
    [/secretsKeyArn: needs deletionProtection/, { secretsKeyArn: BROUGHT.secretsKeyArn, deletionProtection: 'false' }],
    [/restoredTable: needs deletionProtection/, { restoredTable: 'custodia-restored', deletionProtection: 'false' }],
    [
      /restoredTable: the name of a DynamoDB table/,
      { restoredTable: 'a' },
      { restoredTable: 'arn:aws:dynamodb:eu-west-1:111122223333:table/x' },
    ],
    [
      /restoredTableStreamArn: is not of the table/,
      { restoredTableStreamArn: BROUGHT.restoredTableStreamArn },
      { restoredTableStreamArn: BROUGHT.restoredTableStreamArn, restoredTable: 'custodia-prod' },
    ],
    [/warmThroughput: read and write units/, { warmThroughput: '24000' }, { warmThroughput: '0:8000' }],
    [/warmThroughput: less than a new table/, { warmThroughput: '11999:4000' }, { warmThroughput: '12000:3999' }],
    [/warmThroughput: .*own table/, { warmThroughput: '24000:8000', restoredTable: 'custodia-restored' }],
    [/backupCopyVaults: ARNs of vaults/, { backupCopyVaults: 'custodia', backupRetentionDays: 90 }],
    [/backupCopyVaults: needs backupRetentionDays/, { backupCopyVaults: VAULT }],
    [/deployment: /, { deployment: 'linear' }],
    [
      /operatorPrincipals: .*ARN/,
      ...['eva', 'arn:aws:iam::111122223333:root', '*'].map((operatorPrincipals) => ({ operatorPrincipals })),
    ],
    [/permissionsBoundaryArn: .*ARN/, { permissionsBoundaryArn: 'boundary' }],
  ])('are refused with %s', (message, ...contexts) => {
    for (const context of contexts) expect(() => settings(context), JSON.stringify(context)).toThrow(message);
  });
});

it('cdk.json sets every feature flag that the installed CDK recommends, as it does', () => {
  expect(Object.keys(recommended).length).toBeGreaterThan(80);
  expect(CDK_CONTEXT).toMatchObject(recommended);
});

describe('the files of stages', () => {
  /** The settings of an app with this context, and with these files. */
  async function settingsOf(context: Record<string, unknown>, files?: Record<string, string>): Promise<Settings> {
    const app = new App({ context: { ...CDK_CONTEXT, ...context } });
    if (files === undefined) applyStageFile(app.node);
    else {
      const directory = join(await freshDirectory(), 'stages');
      mkdirSync(directory);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
      applyStageFile(app.node, directory);
    }
    return settingsFrom(app.node);
  }

  it.each(readdirSync(join(import.meta.dirname, '../../stages')))('include one that can be used: %s', async (file) => {
    const stage = file.replace(/\.json$/, '');
    expect((await settingsOf({ stage })).stage).toBe(stage);
  });

  it('are those of the stage that is named, or of dev, and give way to the command line', async () => {
    const files = { 'prod.json': '{"memory":2048,"requireMfa":true}', 'dev.json': '{"memory":256}' };
    expect(await settingsOf({ stage: 'prod' }, files)).toMatchObject({ stage: 'prod', memory: 2048, requireMfa: true });
    expect(await settingsOf({}, files)).toMatchObject({ stage: 'dev', memory: 256, requireMfa: false });
    expect(await settingsOf({ stage: 'mine' }, files)).toMatchObject({ stage: 'mine', memory: 1024 });
    const said = { stage: 'prod', memory: '512', requireMfa: 'false' };
    expect(await settingsOf(said, files)).toMatchObject({ memory: 512, requireMfa: false });
  });

  it.each([
    ['a name that is none of a setting', '{"alarmMail":"ops@example.com"}', /has what is no setting: alarmMail$/],
    ['the stage, which its name says', '{"stage":"dev"}', /has what is no setting: stage$/],
    ['what is no JSON', '{"memory":', /prod\.json cannot be read as JSON$/],
    ['a list', '["memory"]', /prod\.json must be an object/],
    ['a value that is none', '{"memory":{"mb":512}}', /prod\.json must be an object of texts, numbers and booleans/],
    ['a value that the setting does not take', '{"memory":1}', /cannot be used:\n {2}memory: /],
  ])('are refused with %s', async (_, text, message) => {
    await expect(settingsOf({ stage: 'prod' }, { 'prod.json': text })).rejects.toThrow(message);
  });

  it.each(['../prod', 'a/b', ''])('are in no other directory: %s', async (stage) => {
    await expect(settingsOf({ stage }, {})).rejects.toThrow(/stage: a lower-case word/);
  });
});
