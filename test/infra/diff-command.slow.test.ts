import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { destructiveChanges } from '../../infra/destructive-changes.ts';
import { freshDirectory } from '../support/directory.ts';

/** `npm run diff`, by the `cdk` that is installed, against templates instead of what is deployed. */

const ENTRY = join(import.meta.dirname, '../../bin/diff.ts');

const KEY = { Type: 'AWS::KMS::Key', Properties: { KeySpec: 'SYMMETRIC_DEFAULT' }, DeletionPolicy: 'Retain' };
const TABLE = {
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    TableName: 'records',
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
    Replicas: [{ Region: 'eu-west-1' }],
  },
};
const version = (id: string) => ({
  [id]: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: 'clients' } },
});
const deployment = (id: string) => ({
  [id]: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: 'api' } },
});

type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties: object }>>;

/** Compares a stack of these resources with one that is deployed. */
async function diff(next: Resources, deployed: Resources) {
  const outdir = await freshDirectory();
  const app = new App({ outdir });
  const stack = new Stack(app, 'custodia-prod');
  for (const [id, { Type: type, Properties: properties }] of Object.entries(next)) {
    new CfnResource(stack, id, { type, properties });
  }
  app.synth();
  const template = join(outdir, 'deployed.json');
  writeFileSync(template, JSON.stringify({ Resources: deployed }));
  const args = [ENTRY, '--app', outdir, '--template', template];
  const env = { ...process.env, CI: 'true', CDK_DISABLE_CLI_TELEMETRY: 'true' };
  return await new Promise<{ code: unknown; lines: string[] }>((resolve) => {
    execFile(process.execPath, args, { env }, (error, stdout) => {
      resolve({ code: error?.code ?? 0, lines: stdout.trimEnd().split('\n') });
    });
  });
}

it('npm run diff finds what is replaced, deleted or left behind, and not what every release makes anew', async () => {
  const moved = { ...TABLE, Properties: { ...TABLE.Properties, TableName: 'others' } };
  const { code, lines } = await diff(
    { ...version('V2'), ...deployment('D2'), Table: moved },
    { ...version('V1'), ...deployment('D1'), Table: TABLE, Kept: KEY },
  );
  expect(lines.filter((line) => line.endsWith(' will be destroyed'))).toHaveLength(2);
  expect(code).toBe(1);
  expect(lines.slice(lines.indexOf('This would be replaced, deleted or orphaned:') + 1).toSorted()).toEqual([
    expect.stringMatching(/^custodia-prod: AWS::DynamoDB::GlobalTable .*Table will be replaced$/),
    expect.stringMatching(/^custodia-prod: AWS::KMS::Key .*Kept will be orphaned$/),
  ]);
});

it.each([
  ['that was none', 'connect ECONNREFUSED', 1],
  ['that fails for another reason', 'Number of stacks with differences: 1', 1],
  ['whose list is written in another way', 'Number of stacks with differences: 1\n  - AWS::KMS::Key destroyed', 1],
  ['that was ended', 'Number of stacks with differences: 1', null],
])('a comparison %s finds nothing out', (_, text, code) => {
  expect(() => destructiveChanges(text, code)).toThrow(/could not compare/);
});
