import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { destructiveChanges as listed } from '../../../infra/destructive-changes.ts';
import type { StackRecord } from './record.ts';

const CDK = join(import.meta.dirname, '../../../node_modules/aws-cdk/bin/cdk');

/** They hold nothing. That no other takes their names meanwhile is another question. */
const GOES_WITH_ITS_DOMAIN = /^AWS::(CloudWatch::Alarm|Lambda::Alias|Lambda::Function) \w+ will be destroyed$/;

/** Nothing of this asks AWS or anybody else. */
const ALONE = { CI: 'true', CDK_DISABLE_CLI_TELEMETRY: 'true' };
const QUIETLY = ['--no-notices', '--no-version-reporting', '--no-color'];

/**
 * What deploying a stack of an assembly would replace, delete or orphan of a release, in the words of `cdk diff`: the
 * properties whose change replaces a resource are those of CloudFormation's own schemas, which CDK brings along.
 * @throws Error where nothing could be compared
 */
export function destructiveChanges(assembly: string, stack: string, released: StackRecord): string[] {
  const template = join(assembly, 'released.json');
  writeFileSync(template, JSON.stringify(released));
  const args = ['diff', stack, '--exclusively', '--app', assembly, '--template', template, '--fail-on=destructive'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [CDK, ...QUIETLY, ...args], {
    encoding: 'utf8',
    // It prints whole templates.
    maxBuffer: 64_000_000,
    env: { ...process.env, ...ALONE },
  });
  return listed(stdout + stderr, status)
    .map((each) => each.replace(`${stack}: `, ''))
    .filter((each) => !GOES_WITH_ITS_DOMAIN.test(each));
}
