import type { Entity, Tenant } from '#table';
import { DELIVERY_BUDGET, readBudgets } from '#tenancy';
import { integrationEntity } from '../../functions/integrations/store.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { command, type Declare } from '../command.ts';
import { declaredOf, exportedKinds } from '../export.ts';
import { disableIntegration, integrationsOf, type ListedIntegration } from '../integrations.ts';
import { resumeOrganization, suspendOrganization } from '../suspending.ts';
import { openTenant } from '../tenant-option.ts';

/** Commands about one organization and its integrations, each in an STS session for that one organization. */

export const organizationCommands: readonly Declare[] = [
  command({
    name: 'organizations suspend',
    description: 'Refuse all keys of an organization from now on: logins, tokens and webhooks. Its data stays',
    role: 'MaintenanceRoleArn',
    opens: 'organization',
    examples: ['organizations suspend --org acme --outputs outputs.json'],
    run: async (_, id) => {
      const suspended = await suspendOrganization(id);
      const { state, since, changed } = suspended;
      const line = changed
        ? `${id} is suspended: all of its keys are refused.`
        : `${id} is ${state} since ${since} already.`;
      return { value: { org_id: id, ...suspended }, lines: [line] };
    },
  }),
  command({
    name: 'organizations resume',
    description: 'Accept the keys of a suspended organization again, as they were',
    role: 'MaintenanceRoleArn',
    opens: 'organization',
    examples: ['organizations resume --org acme --outputs outputs.json'],
    run: async (_, id) => {
      const changed = await resumeOrganization(id);
      const line = changed ? `${id} is resumed: its keys work again.` : `${id} is not suspended.`;
      return { value: { org_id: id, state: 'active', changed }, lines: [line] };
    },
  }),
  command({
    name: 'organizations usage',
    description:
      'Count the records of an organization by kind, from the counter items of its lists, and tell how much of its ' +
      'request budgets is spent, where anything is',
    role: 'MaintenanceRoleArn',
    opens: 'tenant',
    examples: ['organizations usage --org acme --outputs outputs.json'],
    run: async (_, id) => {
      const tenant = await openTenant(id);
      const [records, active, budgets] = await Promise.all([
        countsOf(tenant),
        activeIntegrationsOf(tenant),
        budgetsOf(tenant),
      ]);
      return {
        value: { org_id: tenant.orgId, records, active_integrations: active, budgets },
        lines: [
          ...Object.entries(records).map(([kind, count]) => `${String(count).padStart(9)}  ${kind}`),
          `${String(active).padStart(9)}  active integrations`,
          ...budgets.map(budgetLine),
        ],
      };
    },
  }),
  command({
    name: 'integrations list',
    description: 'List the integrations of an organization, the oldest first, without their secrets',
    role: 'CutOffRoleArn',
    opens: 'organization',
    examples: ['integrations list --org acme --outputs outputs.json'],
    run: async (_, id) => {
      const listed = await integrationsOf(id);
      return { value: listed, lines: [...listed.map(integrationLine), `Integrations: ${listed.length}.`] };
    },
  }),
  command<{ readonly appCode: string }>({
    name: 'integrations disable',
    description: 'Set an integration inactive: it cannot log in or sign webhooks, and its tokens end',
    role: 'CutOffRoleArn',
    opens: 'organization',
    options: (declared) => declared.requiredOption('--app-code <code>', 'app code of the integration'),
    examples: ['integrations disable --org acme --app-code acme-billing --outputs outputs.json'],
    run: async ({ appCode }, org) => {
      const { id, app_code, changed } = await disableIntegration(org, appCode);
      const line = changed
        ? `${app_code} (${id}) is inactive, and its tokens have ended.`
        : `${app_code} (${id}) was inactive already.`;
      return { value: { org_id: org, id, app_code, status: 'inactive', changed }, lines: [line] };
    },
  }),
];

/** Child records, such as messages of tickets, are in no counted list. */
async function countsOf(tenant: Tenant): Promise<Readonly<Record<string, number>>> {
  const counts = exportedKinds.map(
    async ({ entity }) => [declaredOf(entity).name, await totalOf(tenant, entity)] as const,
  );
  return Object.fromEntries(await Promise.all(counts));
}

const ONE = { page: 1, page_size: 1 } as const;

const totalOf = async (tenant: Tenant, entity: Entity): Promise<number> =>
  (await tenant.records(entity).page(ONE)).total;

const activeIntegrationsOf = async (tenant: Tenant): Promise<number> =>
  (await tenant.records(integrationEntity).page({ ...ONE, where: [{ field: 'status', anyOf: ['active'] }] })).total;

/** The spent fraction of a request budget. It is a fraction because the command does not know the limits of a stage. */
interface Budget {
  /** Null: the budget of the whole tenant. */
  readonly integration_id: string | null;
  /** A fraction of a minute's requests, counting only what containers have flushed. */
  readonly spent_percent: number;
}

async function budgetsOf(tenant: Tenant): Promise<readonly Budget[]> {
  const budgets = await readBudgets(tenant);
  // The items of the others are there for the number of requests by day.
  return budgets
    .filter(({ spent }) => spent > 0)
    .map(({ integrationId, spent }) => ({ integration_id: integrationId, spent_percent: Math.round(spent * 100) }));
}

const budgetLine = ({ integration_id, spent_percent }: Budget): string =>
  `${`${spent_percent} %`.padStart(9)}  of a minute's requests of ${ownerOf(integration_id)}`;

const ownerOf = (id: string | null): string => {
  if (id === DELIVERY_BUDGET) return 'its delivery budget';
  return id === null ? 'all integrations together' : `integration ${id}`;
};

const integrationLine = ({ id, status, created_at, app_code, display_name, permissions }: ListedIntegration): string =>
  [
    status.padEnd(8),
    created_at,
    id,
    app_code,
    quoted(display_name),
    permissions === null ? 'all permissions' : `permissions: ${permissions.length}`,
  ].join('  ');
