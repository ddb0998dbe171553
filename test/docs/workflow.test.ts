import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { anonymousLimit } from '../../infra/firewall.ts';
import { settingsFrom } from '../../infra/settings.ts';
import { READS, ROUND } from '../../operator/traffic.ts';
import manifest from '../../package.json' with { type: 'json' };
import renovate from '../../renovate.json' with { type: 'json' };
import { mistakesIn } from './operator-calls.ts';

/** GitHub's workflows, by the lines of their files. */

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, '.github', file), 'utf8');
const ci = read('workflows/ci.yml');
const deploy = read('workflows/deploy.yml');
const action = read('actions/deploy/action.yml');
const nightly = read('workflows/nightly.yml');
const ALL = { 'ci.yml': ci, 'deploy.yml': deploy, 'nightly.yml': nightly, 'action.yml': action };

/** What stands behind a key, by line. */
const values = (text: string, key: string): string[] =>
  Array.from(text.matchAll(new RegExp(`^ *(?:- )?${key}: (.*)$`, 'gm')), ([, value = '']) => value);

/** The texts of a workflow's jobs. */
const jobs: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(deploy.split(/^jobs:$/m)[1]?.matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n|\n)+)/gm) ?? [], ([, name, text]) => [
    name ?? '',
    text ?? '',
  ]),
);
const jobNamed = (name: string): string => jobs[name] ?? '';

/** All that is run, with the lines of a block in one text. */
const commands = (text: string): string[] =>
  Array.from(text.matchAll(/^( *)- run: (?:\|\n((?:\1 {4,}.*\n)+)|(.*)$)/gm), ([, , block, line]) =>
    (block ?? line ?? '').replaceAll('\\\n', ' '),
  );

/** What GitHub puts in place. */
const expression = (name: string): string => `$\{{ ${name} }}`;

const STAGES = ['dev', 'staging', 'prod'];

describe.each(Object.entries(ALL))('%s', (_, text) => {
  it('has actions of one commit each, which Renovate keeps', () => {
    const used = values(text, 'uses');
    expect(used.length).toBeGreaterThan(0);
    const unpinned = used.filter((each) => !/^(\.\/|[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$)/.test(each));
    expect(unpinned).toEqual([]);
    for (const local of used.filter((each) => each.startsWith('./'))) {
      expect(existsSync(join(ROOT, local.endsWith('.yml') ? local : join(local, 'action.yml'))), local).toBe(true);
    }
    expect(renovate.extends).toContain('helpers:pinGitHubActionDigests');
  });

  it('puts nothing into a command that others could have written', () => {
    expect(commands(text).length).toBeGreaterThan(0);
    expect(commands(text).filter((each) => each.includes('{{'))).toEqual([]);
  });

  it('runs what there is', () => {
    const lines = commands(text).join('\n');
    for (const [, script = ''] of lines.matchAll(/\bnpm run ([\w:-]+)/g))
      expect(Object.keys(manifest.scripts), script).toContain(script);
    for (const [, words = ''] of lines.matchAll(/\bnpx custodia (.*)/g))
      expect(mistakesIn(words.trim().split(/ +/)), words).toEqual([]);
  });
});

it('the same actions have the same commits everywhere', () => {
  const used = new Set(Object.values(ALL).flatMap((text) => values(text, 'uses')));
  const names = Array.from(used, (each) => each.split('@')[0]);
  expect(names.length).toBe(new Set(names).size);
});

describe('tests', () => {
  it('are what .ci/run runs, and a scan of packages, with the right to read', () => {
    const install = expect.stringMatching(/^npm ci /);
    expect(values(ci, 'run')).toEqual(['.ci/run', install, 'npm run check:packages -- --required']);
    expect(values(ci, 'contents')).toEqual(['read']);
    expect(ci).not.toMatch(/: write$/m);
  });

  it('run once for a push to main, by what deploys it', () => {
    expect(ci).not.toMatch(/^ {2}push:/m);
    expect(ci).toMatch(/^ {2}workflow_call:/m);
    expect(values(jobNamed('test'), 'uses')).toEqual(['./.github/workflows/ci.yml']);
  });
});

it('the night tries a deployment, other days, storage on DynamoDB Local and the benchmarks, with the right to read', () => {
  const install = expect.stringMatching(/^npm ci /);
  const others = ['npm run test:dates', 'npx vitest run --project=quick test/table', 'npm run bench -- check'];
  expect(values(nightly, 'run')).toEqual([install, 'npm run rehearse', install, ...others]);
  expect(values(nightly, 'TEST_ENGINE')).toEqual(['java']);
  expect(values(nightly, 'contents')).toEqual(['read']);
  expect(nightly).toMatch(/^ {2}schedule:\n {4}- cron: '\d+ \d+ \* \* \*'$/m);
});

describe('a deployment', () => {
  it('goes from stage to stage, each after the one before, the first after the tests', () => {
    const chain = ['test', 'sbom', ...STAGES];
    expect(Object.keys(jobs)).toEqual(['diff', ...chain]);
    expect(chain.map((name) => values(jobNamed(name), 'needs')[0])).toEqual([undefined, ...chain.slice(0, -1)]);
  });

  it.each(STAGES)('of %s is of its own environment, with its settings, and never beside another', (stage) => {
    const job = jobNamed(stage);
    expect(values(job, 'environment')).toEqual([stage]);
    expect(values(job, 'stage')).toEqual([stage]);
    expect([values(job, 'group'), values(job, 'cancel-in-progress')]).toEqual([[`deploy-${stage}`], ['false']]);
    expect(values(job, 'if')).toEqual(["vars.DEPLOY == 'true'"]);
    expect(existsSync(join(ROOT, `stages/${stage}.json`))).toBe(true);
  });

  it('asks about the account before, calls the stage meanwhile, and looks at it afterwards', () => {
    const [, before, deployment = '', after] = commands(action);
    expect(before).toBe('npx custodia doctor --account');
    expect(deployment).toMatch(/npm run traffic -- --url .* -- +npx cdk deploy --all "\$\{settings\[@\]\}"/);
    expect(after).toMatch(/^npx custodia doctor .*--outputs outputs\.json/);
    expect(deployment).toContain('--outputs-file outputs.json');
  });

  it('calls the stage often enough to see a crash, and too seldom for the firewall', () => {
    const [, rate] = /--rate (\d+) /.exec(commands(action).join()) ?? [];
    const rounds = (Number(rate) * 60) / ROUND;
    // Two crashes in a minute roll back a canary, which gets one call in ten: the probability of two in the four
    // minutes before it ends.
    const seenInAMinute = 1 - 0.9 ** rounds - rounds * 0.1 * 0.9 ** (rounds - 1);
    expect(1 - (1 - seenInAMinute) ** 4).toBeGreaterThan(0.99);
    const anonymous = 1 + READS.filter(({ needsToken }) => !needsToken).length;
    expect(anonymous * rounds * 5).toBeLessThan(anonymousLimit(settingsFrom(new App().node)) * 0.9);
  });

  it('has a bill of materials', () => {
    expect(commands(jobNamed('sbom'))).toContain('npm run sbom');
    expect(values(jobNamed('sbom'), 'path')).toEqual(['sbom.json']);
    expect(manifest.scripts.sbom).toBe('npm sbom --sbom-format=cyclonedx > sbom.json');
  });
});

describe('rights', () => {
  it('are none but those that a job names: to read, and to ask for a token of AWS', () => {
    expect(deploy).toMatch(/^permissions: \{\}$/m);
    for (const [name, job] of Object.entries(jobs)) {
      expect(values(job, 'contents'), name).toEqual(['read']);
      expect(values(job, 'id-token'), name).toEqual(['diff', ...STAGES].includes(name) ? ['write'] : []);
      expect(job.match(/: write$/gm)?.length ?? 0, name).toBe(values(job, 'id-token').length);
      if (name !== 'test') expect(Number(values(job, 'timeout-minutes')[0]), name).toBeLessThanOrEqual(60);
    }
  });

  it('of a pull request are to read templates, and none at all where it comes from a fork', () => {
    expect(jobNamed('diff')).toContain('github.event.pull_request.head.repo.full_name == github.repository');
    expect(values(jobNamed('diff'), 'role-to-assume')).toEqual([expression('vars.AWS_DIFF_ROLE_ARN')]);
    expect(jobNamed('diff')).not.toContain('secrets.');
    expect(deploy).not.toContain('pull_request_target');
  });

  it('of the checkout stay with it, and a secret reaches two commands by their environment', () => {
    const checkouts = Object.values(ALL).flatMap((text) => text.match(/actions\/checkout@/g) ?? []);
    const kept = Object.values(ALL).flatMap((text) => values(text, 'persist-credentials'));
    expect(kept).toEqual(checkouts.map(() => 'false'));
    const secrets = deploy.match(/secrets\.\w+/g) ?? [];
    expect(new Set(secrets)).toEqual(new Set(['secrets.CANARY_SECRET']));
    expect(values(action, 'CANARY_SECRET')).toEqual([expression('inputs.canary-secret')]);
    expect(values(action, 'PLATFORM_SECRET')).toEqual([expression('inputs.canary-secret')]);
  });
});
