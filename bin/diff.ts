import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { destructiveChanges } from '../infra/destructive-changes.ts';
import { print, printError } from '../local/terminal/output.ts';

/**
 * `npm run diff -- -c stage=prod`: prints what a deployment would change, and exits with 1 where it would replace,
 * delete or orphan something. (`cdk diff --fail-on=destructive` fails for every release, because each release has new
 * versions of the functions.)
 *
 * It compares templates, without a change set, so the role only needs to read templates.
 */

const CDK = join(import.meta.dirname, '../node_modules/aws-cdk/bin/cdk');
const OPTIONS = ['--method=template', '--fail-on=destructive', '--no-color', '--no-notices'];

const cdk = spawn(process.execPath, [CDK, 'diff', ...OPTIONS, ...process.argv.slice(2)], {
  stdio: ['ignore', 'pipe', 'pipe'],
});
let text = '';
for (const stream of [cdk.stdout, cdk.stderr]) {
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
}
const [code] = (await once(cdk, 'close')) as [number | null];
print(...text.split('\n'));
try {
  const changes = destructiveChanges(text, code);
  const verdict =
    changes.length === 0
      ? ['Nothing is replaced, deleted or orphaned that a release does not make anew.']
      : ['This would be replaced, deleted or orphaned:', ...changes];
  print(...verdict);
  process.exitCode = changes.length === 0 ? 0 : 1;
} catch (error) {
  printError((error as Error).message);
  process.exitCode = 2;
}
