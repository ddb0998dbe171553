import type { Command } from 'commander';
import type * as z from 'zod';
import { NotUnique } from '#table';
import { type Organization, readSuspension, type Suspension } from '#tenancy';
import { integrationCreate, PREVIOUS } from '../../functions/integrations/contract.ts';
import { createPlatformIntegration } from '../../functions/integrations/platform.ts';
import { wholeNumberOption } from '../../local/terminal/command-line.ts';
import { printError, printJson } from '../../local/terminal/output.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { organizations, tenantOf } from '../as-operator.ts';
import { command, type Declare } from '../command.ts';
import { disablePlatformKey, platformKeys, rotatePlatformKey } from '../platform-keys.ts';
import { OperatorProblem } from '../problem.ts';
import { openTarget, type TargetOptions } from '../target.ts';

/**
 * The platform's keys and its list of organizations, under the stack's operator role. Nobody else can make a platform
 * key.
 */

interface KeyOptions extends TargetOptions {
  readonly appCode: string;
}

const ofKey = (declared: Command): Command => declared.requiredOption('--app-code <code>', 'app code of the key');

/** A secret is printed as JSON in any case. */
function printSecret(made: object): undefined {
  printJson(made);
  printError('Keep the secret now: it cannot be shown again.');
}

const role = 'OperatorRoleArn';

export const platformCommands: readonly Declare[] = [
  command<KeyOptions & { readonly displayName: string }>({
    name: 'create-platform-key',
    description: 'Register an integration of the platform and print its secret, once, as JSON',
    role,
    secrets: true,
    options: (declared) =>
      declared
        .requiredOption('--app-code <code>', 'app code to log in with')
        .option('--display-name <text>', 'name to show', 'Platform'),
    examples: ['create-platform-key --app-code ops --outputs outputs.json'],
    run: async (options) => {
      const asked = { app_code: options.appCode, display_name: options.displayName };
      const { app_code, display_name } = integrationCreate.schema.shape;
      requireValid('--app-code', app_code.safeParse(asked.app_code).error);
      requireValid('--display-name', display_name.safeParse(asked.display_name).error);
      await using _ = await openTarget(options, role, { secrets: true });
      const { id, secret } = await createPlatformIntegration(asked).catch((error: unknown) => {
        throw error instanceof NotUnique
          ? new OperatorProblem('An integration with this app code exists already.', { cause: error })
          : error;
      });
      return printSecret({ id, app_code: options.appCode, secret });
    },
  }),
  command({
    name: 'platform-keys list',
    description: 'List the integrations of the platform, the oldest first',
    role,
    opens: 'target',
    examples: ['platform-keys list --outputs outputs.json'],
    run: async () => {
      const keys = await platformKeys();
      return {
        value: keys,
        lines: keys.map(({ status, created_at, app_code, display_name }) =>
          [status.padEnd(8), created_at, app_code, quoted(display_name)].join('  '),
        ),
      };
    },
  }),
  command<KeyOptions>({
    name: 'platform-keys disable',
    description: 'Set a key of the platform inactive: it cannot log in, and its tokens end',
    role,
    opens: 'target',
    options: ofKey,
    examples: ['platform-keys disable --app-code ops --outputs outputs.json'],
    run: async ({ appCode }) => {
      const changed = await disablePlatformKey(appCode);
      const active = (await platformKeys()).filter(({ status }) => status === 'active').length;
      return {
        value: { app_code: appCode, status: 'inactive', changed, active_keys: active },
        lines: [
          changed ? `${appCode} is inactive.` : `${appCode} was inactive already.`,
          ...(active === 0 ? ['No key of the platform is active now: custodia create-platform-key makes one.'] : []),
        ],
      };
    },
  }),
  command<KeyOptions & { readonly previousValidFor: number }>({
    name: 'platform-keys rotate',
    description: 'Give a key of the platform a new secret and print it, once, as JSON',
    role,
    secrets: true,
    opens: 'target',
    options: (declared) =>
      ofKey(declared).option(
        '--previous-valid-for <seconds>',
        `how long the previous secret stays valid; 0 also ends all tokens of the key. At most ${PREVIOUS.longest}`,
        wholeNumberOption({ from: 0, to: PREVIOUS.longest }),
        0,
      ),
    examples: [
      'platform-keys rotate --app-code ops --outputs outputs.json',
      'platform-keys rotate --app-code ops --previous-valid-for 3600 --outputs outputs.json',
    ],
    run: async ({ appCode, previousValidFor }) => printSecret(await rotatePlatformKey(appCode, previousValidFor)),
  }),
  command({
    name: 'organizations list',
    description: 'List all organizations, the oldest first, with who is suspended',
    role,
    opens: 'target',
    examples: ['organizations list --outputs outputs.json', 'organizations list --local --json'],
    run: async () => {
      const listed = await listedOrganizations();
      return { value: listed, lines: [...listed.map(organizationLine), `Organizations: ${listed.length}.`] };
    },
  }),
];

function requireValid(option: string, error: z.ZodError | undefined): void {
  if (error !== undefined) throw new OperatorProblem(`${option} ${error.issues[0]?.message}`);
}

type Listed = Pick<Organization, 'id' | 'name' | 'slug' | 'created_at'> & {
  /** Null where it is not suspended. */
  readonly suspension: Pick<Suspension, 'state' | 'since'> | null;
};

/** Number of suspensions read at the same time. */
const AT_ONCE = 50;

async function listedOrganizations(): Promise<readonly Listed[]> {
  const all = await Array.fromAsync(organizations());
  const listed: Listed[] = [];
  while (listed.length < all.length) {
    listed.push(...(await Promise.all(all.slice(listed.length, listed.length + AT_ONCE).map(withSuspension))));
  }
  return listed;
}

async function withSuspension({ id, name, slug, created_at }: Organization): Promise<Listed> {
  const found = await readSuspension(tenantOf(id));
  const suspension = found === undefined ? null : { state: found.state, since: found.since };
  return { id, name, slug, created_at, suspension };
}

const organizationLine = ({ id, name, slug, created_at, suspension }: Listed): string =>
  [
    id,
    created_at,
    slug,
    quoted(name),
    ...(suspension === null ? [] : [`(${suspension.state} since ${suspension.since})`]),
  ].join('  ');
