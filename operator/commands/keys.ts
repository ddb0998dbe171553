import type { Command } from 'commander';
import type * as z from 'zod';
import { NotUnique } from '#table';
import { integrationCreate, PREVIOUS } from '../../functions/integrations/contract.ts';
import { createPlatformIntegration } from '../../functions/integrations/platform.ts';
import { wholeNumberOption } from '../../local/terminal/command-line.ts';
import { printError, printJson } from '../../local/terminal/output.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { PLATFORM } from '../as-operator.ts';
import { command, type Declare } from '../command.ts';
import { disableIntegration, integrationsOf, type ListedIntegration, rotatePlatformKey } from '../integrations.ts';
import { OperatorProblem } from '../problem.ts';
import { openTarget, type TargetOptions } from '../target.ts';

/**
 * Keys of the platform, under the stack's operator role: nobody else can make one. Integrations of an organization,
 * under its cut-off role, in an STS session for that one organization.
 */

interface KeyOptions extends TargetOptions {
  readonly appCode: string;
}

const ofKey = (declared: Command): Command =>
  declared.requiredOption('--app-code <code>', 'app code of the integration');

/** A secret is printed as JSON in any case. */
function printSecret(made: object): undefined {
  printJson(made);
  printError('Keep the secret now: it cannot be shown again.');
}

const OF_PLATFORM = { role: 'OperatorRoleArn', opens: 'target' } as const;
const OF_ORGANIZATION = { role: 'CutOffRoleArn', opens: 'organization' } as const;

export const keyCommands: readonly Declare[] = [
  command<KeyOptions & { readonly displayName: string }>({
    name: 'create-platform-key',
    description: 'Register an integration of the platform and print its secret, once, as JSON',
    role: 'OperatorRoleArn',
    secrets: true,
    options: (declared) =>
      declared
        .requiredOption('--app-code <code>', 'app code to log in with')
        .option('--display-name <text>', 'name to show', 'Platform'),
    examples: ['create-platform-key --app-code ops --outputs outputs.json'],
    run: createPlatformKey,
  }),
  command({
    name: 'platform-keys list',
    description: 'List the integrations of the platform, the oldest first',
    ...OF_PLATFORM,
    examples: ['platform-keys list --outputs outputs.json'],
    run: async () => {
      const keys = await integrationsOf(PLATFORM);
      return { value: keys, lines: keys.map(integrationLine) };
    },
  }),
  command<KeyOptions>({
    name: 'platform-keys disable',
    description: 'Set a key of the platform inactive: it cannot log in, and its tokens end',
    ...OF_PLATFORM,
    options: ofKey,
    examples: ['platform-keys disable --app-code ops --outputs outputs.json'],
    run: async ({ appCode }) => {
      const disabled = await disableIntegration(PLATFORM, appCode);
      const active = (await integrationsOf(PLATFORM)).filter(({ status }) => status === 'active').length;
      const none = 'No key of the platform is active now: custodia create-platform-key makes one.';
      return {
        value: { ...disabled, status: 'inactive', active_keys: active },
        lines: [
          disabled.changed ? `${appCode} is inactive.` : `${appCode} was inactive already.`,
          ...(active === 0 ? [none] : []),
        ],
      };
    },
  }),
  command<KeyOptions & { readonly previousValidFor: number }>({
    name: 'platform-keys rotate',
    description: 'Give a key of the platform a new secret and print it, once, as JSON',
    ...OF_PLATFORM,
    secrets: true,
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
    name: 'integrations list',
    description: 'List the integrations of an organization, the oldest first, without their secrets',
    ...OF_ORGANIZATION,
    examples: ['integrations list --org acme --outputs outputs.json'],
    run: async (_, id) => {
      const listed = await integrationsOf(id);
      return { value: listed, lines: [...listed.map(integrationLine), `Integrations: ${listed.length}.`] };
    },
  }),
  command<{ readonly appCode: string }>({
    name: 'integrations disable',
    description: 'Set an integration inactive: it cannot log in or sign webhooks, and its tokens end',
    ...OF_ORGANIZATION,
    options: ofKey,
    examples: ['integrations disable --org acme --app-code acme-billing --outputs outputs.json'],
    run: async ({ appCode }, org) => {
      const disabled = await disableIntegration(org, appCode);
      const { id, changed } = disabled;
      const line = changed
        ? `${appCode} (${id}) is inactive, and its tokens have ended.`
        : `${appCode} (${id}) was inactive already.`;
      return { value: { org_id: org, ...disabled, status: 'inactive' }, lines: [line] };
    },
  }),
];

async function createPlatformKey({
  appCode: app_code,
  displayName: display_name,
  ...target
}: KeyOptions & { readonly displayName: string }): Promise<undefined> {
  const { shape } = integrationCreate.schema;
  requireValid('--app-code', shape.app_code.safeParse(app_code).error);
  requireValid('--display-name', shape.display_name.safeParse(display_name).error);
  await using _ = await openTarget(target, 'OperatorRoleArn', { secrets: true });
  const made = await createPlatformIntegration({ app_code, display_name }).catch((cause: unknown) => {
    if (!(cause instanceof NotUnique)) throw cause;
    throw new OperatorProblem('An integration with this app code exists already.', { cause });
  });
  return printSecret({ id: made.id, app_code, secret: made.secret });
}

function requireValid(option: string, error: z.ZodError | undefined): void {
  if (error !== undefined) throw new OperatorProblem(`${option} ${error.issues[0]?.message}`);
}

const integrationLine = ({ id, status, created_at, app_code, display_name, permissions }: ListedIntegration): string =>
  [
    status.padEnd(8),
    created_at,
    id,
    app_code,
    quoted(display_name),
    permissions === null ? 'all permissions' : `permissions: ${permissions.length}`,
  ].join('  ');
