import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../operator/doctor/account.ts';
import { startFakeKms } from '../auth/fake-kms.ts';
import { freshDirectory } from '../support/directory.ts';
import { type Ran, runOperator, runOperatorAgain } from '../support/operator.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { type FakeAccount, startFakeAccount } from './fake-account.ts';

const api = useApi();
const kms = prepared(startFakeKms);
let account: FakeAccount;
let secret: string;
beforeAll(async () => {
  account = await startFakeAccount();
  const made = await operator('create-platform-key', '--app-code', 'ops');
  secret = JSON.parse(made.stdout).secret;
});
afterAll(() => {
  kms.stop();
  account.stop();
});

const on = (...options: string[]) => ['--table', api.table.tableName, '--secrets-key', 'master', ...options];
const operator = (...args: string[]) => runOperatorAgain([...args, ...on()], { AWS_ENDPOINT_URL_KMS: kms.endpoint });
const doctor = (options: string[], variables: Record<string, string> = {}, run = runOperatorAgain): Promise<Ran> =>
  run(['doctor', ...options], { ...account.variables, AWS_ENDPOINT_URL_KMS: kms.endpoint, ...variables });
/** With the address and the key of this stage. */
const whole = (options: string[] = [], variables: Record<string, string> = {}, run = runOperatorAgain) =>
  doctor([...on('--url', api.url, '--app-code', 'ops'), ...options], { PLATFORM_SECRET: secret, ...variables }, run);

/** What each check has found. */
async function found(ran: Promise<Ran>) {
  const { code, stdout, stderr } = await ran;
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  expect([ok, stderr]).toEqual([code === 0, '']);
  return { code, ...Object.fromEntries(findings.map(({ check, state, detail }) => [check, [state, detail]])) };
}

const OK = (detail: RegExp | string = /./) => ['ok', expect.stringMatching(detail)];
const wrong = (detail: RegExp) => ['wrong', expect.stringMatching(detail)];
const skipped = (detail: RegExp) => ['skipped', expect.stringMatching(detail)];

describe('custodia doctor', () => {
  it('finds a stage well', async () => {
    expect(await found(whole(['--json']))).toEqual({
      code: 0,
      outputs: OK(),
      identity: OK(/account 111122223333/),
      quotas: OK(),
      'log role': OK(),
      trail: OK(),
      access: OK(),
      table: OK(/can be read$/),
      'secrets key': OK(),
      API: OK(/answers at http/),
      'token keys': OK(/^1 published$/),
      'log in': OK(/^ops gets a token$/),
      read: OK(/^0 organizations$/),
    });
    const { stdout } = await whole();
    expect(stdout.split('\n').slice(0, -1)).toEqual(
      Array(12).fill(expect.stringMatching(/^(ok {7}|skipped {2})\S.{10} {2}\S/)),
    );
  });

  it('says in a line each what is wrong, skips what depends on it, and ends with 1', async () => {
    const { code, stdout } = await whole([], { PLATFORM_SECRET: 'cst_wrong' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WRONG {4}log in {7}ops is refused: .*rotate gives one a new secret\.$/m);
    expect(stdout).toMatch(/^skipped {2}read {9}needs: log in$/m);
  });

  it('logs in only with a key that is given', async () => {
    expect(await found(doctor([...on('--url', api.url), '--json']))).toMatchObject({
      code: 0,
      'log in': skipped(/^no key given/),
      read: skipped(/^needs: log in$/),
    });
  });

  it('takes a key of an organization, such as the one of a pipeline', async () => {
    const org = await api.orgToken();
    const ran = doctor([...on('--url', api.url, '--app-code', org.appCode), '--json'], { PLATFORM_SECRET: org.secret });
    expect(await found(ran)).toMatchObject({
      code: 0,
      'log in': OK(),
      read: OK(/^0 clients of the key’s organization$/),
    });
  });

  it('does without the operator’s role, as a pipeline that is to make no platform keys', async () => {
    const ran = whole(['--without-role', '--role', 'arn:aws:iam::111122223333:role/operator', '--json']);
    expect(await found(ran)).toMatchObject({
      code: 0,
      access: skipped(/^--without-role/),
      table: skipped(/^needs: access$/),
      'secrets key': skipped(/^needs: access$/),
      read: OK(),
    });
  });

  it('looks at the account alone, before there is a stage, and warns without calling it wrong', async () => {
    account.replies = { ...account.replies, executions: 10 };
    const { code, stdout } = await doctor(['--account', '--region', 'eu-west-1']);
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, -1)).toEqual(
      ['ok', 'warning', 'ok', 'ok'].map((state) => expect.stringMatching(`^${state.padEnd(9)}`)),
    );
  });

  const NOWHERE = 'http://127.0.0.1:1';
  it.each<[string, () => Promise<Ran>, object]>([
    [
      'a table that is not there',
      () => whole(['--table', 'none', '--json']),
      { table: wrong(/^There is no table none\. Look at the table/), 'log in': OK() },
    ],
    [
      'an address where nothing answers',
      () => whole(['--url', `${NOWHERE}/dev/`, '--json']),
      {
        table: OK(),
        API: wrong(/^Nothing answers at http:\/\/127\.0\.0\.1:1\/dev\/api\/v1\/openapi \(/),
        'token keys': skipped(/^needs: API$/),
        'log in': skipped(/^needs: API$/),
      },
    ],
    [
      'an address where something else answers',
      () => whole(['--url', `${api.url}/elsewhere`, '--json']),
      { API: wrong(/openapi answered 404, No such path/) },
    ],
    [
      'a key that KMS does not let it use',
      // One that has asked KMS before keeps its client.
      () => whole(['--json'], { AWS_ENDPOINT_URL_KMS: NOWHERE }, runOperator),
      { 'secrets key': wrong(/ECONNREFUSED.*Without the key nobody can make integrations/), 'log in': OK() },
    ],
    [
      'a role that may not be assumed',
      () => whole(['--role', 'arn:aws:iam::111122223333:role/none', '--json'], { AWS_ENDPOINT_URL_STS: NOWHERE }),
      { access: wrong(/sts:AssumeRole/), table: skipped(/access/) },
    ],
    ['no outputs', () => doctor(['--json']), { outputs: wrong(/^Name the stack with --outputs/) }],
  ])('finds %s', async (_, ran, findings) => {
    expect(await found(ran())).toMatchObject({ code: 1, ...findings });
  });

  it('finds outputs that are not there, or are none', async () => {
    const file = join(await freshDirectory(), 'outputs.json');
    const missing = await found(doctor(['--outputs', file, '--json']));
    expect(missing).toMatchObject({
      code: 1,
      outputs: wrong(/outputs\.json cannot be read/),
      access: skipped(/outputs/),
    });
    await writeFile(file, '{"other": {}');
    expect(await found(doctor(['--outputs', file, '--json']))).toMatchObject({
      code: 1,
      outputs: wrong(/^--outputs must name a file with the outputs of one stage/),
      table: skipped(/access/),
      API: skipped(/^no address/),
    });
  });
});
