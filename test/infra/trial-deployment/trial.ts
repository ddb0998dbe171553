import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stackNames } from '../../../infra/stacks/stage-stack.ts';
import { pasteSteps, stepsOf } from '../../docs/paste.ts';
import { callCloudFormation, callDynamoDb } from './aws.ts';
import { type Checks, expectThat } from './checks.ts';
import { Commands } from './commands.ts';
import { ACCOUNT, type Lane, logOf, REGION } from './emulator.ts';
import { putGatewayResponses } from './gateway.ts';
import { LACKING_FEATURES, LACKING_OF_IAM } from './lacking.ts';
import { checkFeatures, checkTypes } from './lacking-checks.ts';
import { featureProbes, iamProbes } from './probes.ts';
import type { Processes } from './processes.ts';

/** The first deployment of `docs/deployment.md`, what is done with a stage, a second deployment, and its end. */

export const STAGE = 'prod';
const PREFIX = `custodia-${STAGE}`;
const README = join(import.meta.dirname, '../../../README.md');

interface TrialProps {
  readonly checks: Checks;
  readonly processes: Processes;
  readonly lane: Lane;
  /** Where the emulator answers. */
  readonly endpoint: string;
  /** Directory for files of this trial. */
  readonly work: string;
  /** Assemblies that the emulator can deploy, and one as CDK has made it. */
  readonly first: string;
  readonly second: string;
  readonly original: string;
}

export class Trial {
  readonly #props: TrialProps;
  readonly #commands: Commands;
  readonly #outputs: string;

  constructor(props: TrialProps) {
    this.#props = props;
    this.#commands = new Commands(props.processes, props.lane);
    this.#outputs = join(props.work, 'outputs.json');
  }

  /** @throws Error where nothing more can be tried */
  async run(): Promise<void> {
    const { checks, lane, first, second, original } = this.#props;
    await checkTypes(checks, original);
    await checks.require('cdk bootstrap', () =>
      this.#commands.cdk('bootstrap', '--app', first, `aws://${ACCOUNT}/${REGION}`, '--termination-protection'),
    );
    await this.#makeLogRole();
    await checks.require('cdk deploy --all', () => this.#deploy(first));
    await this.#probe();
    await checks.require('the responses of the gateway', () => putGatewayResponses(first, this.#api, STAGE));
    await this.#callWithoutToken();
    const secret = await this.#makeKey();
    const org = await this.#pasteTour();
    await this.#operate(org);
    await this.#lookAtBackups();
    await this.#readLog();
    if (lane === 'iam') return;
    await checks.require('a second deployment, with other memory and a second key of tokens', () =>
      this.#deploy(second),
    );
    await this.#doctor(secret, /2 published/);
    await this.#destroy(second);
  }

  #probe(): Promise<void> {
    const { checks, lane } = this.#props;
    if (lane === 'iam') return checkFeatures(checks, LACKING_OF_IAM, iamProbes);
    const deployed = { api: this.#api, url: this.#url, table: this.#table };
    return checkFeatures(checks, LACKING_FEATURES, async () => featureProbes(deployed));
  }

  async #makeLogRole(): Promise<void> {
    const { checks, first } = this.#props;
    await checks.check('doctor --account asks a new account for the role of the gateway’s logs', async () => {
      const { code, stdout } = await this.#commands.custodia(['doctor', '--account']);
      const asks = /^WRONG +log role .*npx cdk deploy api-gateway-log-role -c gatewayLogRole=true$/m;
      expectThat(code === 1 && asks.test(stdout), stdout);
    });
    await checks.require('cdk deploy api-gateway-log-role', () => this.#deploy(first, 'api-gateway-log-role'));
    await checks.check('doctor --account finds the role', async () => {
      expectThat(/^ok +log role /m.test(await this.#commands.succeeding(['doctor', '--account'])), 'no role found');
    });
  }

  #deploy(assembly: string, ...stacks: readonly string[]): Promise<void> {
    const which = stacks.length === 0 ? ['--all', '--outputs-file', this.#outputs] : stacks;
    return this.#commands.cdk('deploy', '--app', assembly, ...which, '--require-approval', 'never');
  }

  /** An output of one of the stacks. */
  #output(stack: string, name: string): string {
    const outputs: Record<string, Record<string, string>> = JSON.parse(readFileSync(this.#outputs, 'utf8'));
    const value = outputs[stack]?.[name];
    expectThat(value !== undefined, `${stack} has no output ${name}`);
    return value;
  }

  get #table(): string {
    return this.#output(`${PREFIX}-data`, 'TableName');
  }

  /** Id of the API, from its address. */
  get #api(): string {
    return new URL(this.#output(`${PREFIX}-api`, 'BaseUrl')).hostname.split('.')[0] ?? '';
  }

  /** Where the emulator serves the stage, in front of `/api/v1`. */
  get #url(): string {
    return `${this.#props.endpoint}/restapis/${this.#api}/${STAGE}/_user_request_`;
  }

  async #callWithoutToken(): Promise<void> {
    const { checks } = this.#props;
    const clients = `${this.#url}/api/v1/clients`;
    const responds = (address: string, headers: Record<string, string>, expected: number) => async () => {
      const { status } = await fetch(address, { headers });
      expectThat(status === expected, `status ${status}`);
    };
    await checks.check('the health check responds 200', responds(`${this.#url}/api/v1/health`, {}, 200));
    await checks.check('a request without a token is a 401', responds(clients, {}, 401));
    await checks.check('one with a wrong token, too', responds(clients, { Authorization: 'Bearer x.y.z' }, 401));
  }

  /** @returns the secret of the first platform key */
  async #makeKey(): Promise<string> {
    let secret = '';
    await this.#props.checks.require('create-platform-key', async () => {
      const made = await this.#commands.succeeding(['create-platform-key', '--app-code', 'ops', ...this.#stage()]);
      ({ secret } = JSON.parse(made));
    });
    await this.#doctor(secret, /1 published/);
    return secret;
  }

  #doctor(secret: string, keys: RegExp): Promise<boolean> {
    return this.#props.checks.check('doctor finds the stage well', async () => {
      const args = ['doctor', '--app-code', 'ops', '--url', this.#url, ...this.#stage()];
      const found = await this.#commands.succeeding(args, { PLATFORM_SECRET: secret });
      expectThat(keys.test(found) && /^ok +read /m.test(found), found);
    });
  }

  #stage(): readonly string[] {
    return ['--outputs', this.#outputs];
  }

  /** @returns the organization that it makes. Its last step has events delivered. */
  async #pasteTour(): Promise<string> {
    const { checks, processes, lane } = this.#props;
    let org = '';
    await checks.require('the tour of the README, through the deployed functions', async () => {
      const steps = stepsOf(readFileSync(README, 'utf8'));
      const { pasted, stderr } = await pasteSteps(steps, this.#url, async (script) => {
        const ran = await processes.run('bash', ['--norc', '-c', script], { log: `${lane}-tour` });
        // The stage's name is part of paths in front of API Gateway's own addresses.
        return { stdout: ran.stdout.replaceAll(`/${STAGE}/api/v1/`, '/api/v1/'), stderr: ran.stderr };
      });
      org = /"org_id":"([^"]+)"/.exec(pasted[0]?.output ?? '')?.[1] ?? '';
      const others = pasted.filter(({ isAsShown }) => !isAsShown);
      const told = others.map(({ commands, output }) => `${commands}printed\n${output}`).join('\n');
      expectThat(others.length === 0 && stderr === '', `${told}${stderr}`);
    });
    return org;
  }

  async #operate(org: string): Promise<void> {
    const { checks, work } = this.#props;
    const month = new Date().toISOString().slice(0, 7);
    for (const args of [
      ['organizations', 'list'],
      ['platform-keys', 'list'],
      ['integrations', 'list', '--org', org],
      ['organizations', 'suspend', '--org', org],
      ['organizations', 'resume', '--org', org],
      ['verify', '--org', org],
      ['export', '--org', org, '--out', join(work, 'export.ndjson')],
      ['usage', '--all', '--month', month],
    ]) {
      const name = args.filter((arg) => /^[a-z-]+$/.test(arg) && !arg.startsWith('--')).join(' ');
      await checks.check(`custodia ${name}`, async () => {
        await this.#commands.succeeding([...args, ...this.#stage()]);
      });
    }
  }

  async #lookAtBackups(): Promise<void> {
    await this.#props.checks.check('custodia backup status says that there is no backup yet', async () => {
      const { stdout } = await this.#commands.custodia(['backup', 'status', ...this.#stage()]);
      const wrong = stdout.match(/^WRONG.*$/gm) ?? [];
      expectThat(/^Daily backups: none yet in the vault /m.test(stdout), stdout);
      // Which the emulator lacks (`lacking.ts`).
      expectThat(wrong.join() === 'WRONG  The table has no point-in-time recovery.', stdout);
    });
  }

  async #destroy(assembly: string): Promise<void> {
    const { checks } = this.#props;
    const stacks = stackNames(STAGE);
    await checks.require('cdk destroy', () => this.#commands.cdk('destroy', '--app', assembly, ...stacks, '--force'));
    await checks.check('the stacks are gone, and the table is kept', async () => {
      const described = await Promise.all(
        stacks.map((StackName) => callCloudFormation('DescribeStacks', { StackName })),
      );
      expectThat(
        described.every(({ text }) => /does not exist/.test(text)),
        described.map(({ text }) => text).join('\n'),
      );
      const { status, text } = await callDynamoDb('DescribeTable', { TableName: this.#table });
      expectThat(status === 200, text);
    });
  }

  async #readLog(): Promise<void> {
    const { checks, processes, lane } = this.#props;
    const log = readFileSync(processes.logOf(logOf(lane)), 'utf8');
    const has = (text: string) => async () =>
      expectThat(log.includes(text), `the log of the emulator has no “${text}”`);
    await checks.check(
      'the stream called the function that wakes deliveries',
      has(`Lambda ${PREFIX}-delivery-wake-up processed 1 DynamoDB stream records`),
    );
    await checks.check(
      'the queue called the function that delivers',
      has(`Lambda ${PREFIX}-deliveries processed 1 SQS messages`),
    );
    await checks.check('no function has logged an error', async () => {
      const errors = log.split('\n').filter((line) => line.includes('"level":"ERROR"'));
      expectThat(errors.length === 0, errors.slice(0, 5).join('\n'));
    });
  }
}
