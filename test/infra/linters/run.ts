import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BROUGHT, CDK_CONTEXT, EVERYTHING, SMALL } from '../synthesize.ts';
import { LINTERS, lint, verdict } from './linters.ts';

/**
 * `npm run check:stack`: cfn-lint and checkov over what `cdk deploy` would deploy, by default, with everything that can
 * be set, and with little of its own.
 */

const ROOT = join(import.meta.dirname, '../../..');

/** The templates of an app with this context. */
function templatesOf(context: Readonly<Record<string, string>>, outdir: string): string[] {
  execFileSync(process.execPath, ['bin/app.ts'], {
    cwd: ROOT,
    env: { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ ...CDK_CONTEXT, ...context }) },
  });
  return globSync(join(outdir, '*.template.json'));
}

const directory = mkdtempSync(join(tmpdir(), 'custodia-'));
try {
  const templates = [
    ...templatesOf({ profile: 'standard', gatewayLogRole: 'true' }, join(directory, 'default')),
    ...templatesOf({ ...EVERYTHING, stage: 'prod' }, join(directory, 'everything')),
    ...templatesOf({ ...SMALL, ...BROUGHT, stage: 'prod' }, join(directory, 'small')),
  ];
  const linted = LINTERS.map((each) => lint(each, templates, process.env.PATH ?? ''));
  const { lines, exitCode } = verdict(linted);
  console.log(lines.join('\n'));
  process.exitCode = exitCode;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
