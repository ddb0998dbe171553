import type { Command } from 'commander';
import type { Entity, Tenant } from '#table';
import { DELIVERY_BUDGET, readBudgets } from '#tenancy';
import { integrationEntity } from '../../../functions/integrations/store.ts';
import { declaredOf, exportedKinds } from '../../export.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { withTarget } from '../../target.ts';
import { openForTenant, openTenant, type TenantOptions, withTenant } from '../../tenant-option.ts';

/** `organizations usage` works under the stack's maintenance role, in an STS session for that one organization. */

interface UsageOptions extends TenantOptions, ResultOptions {}

export function declareOrganizationUsage(group: Command): void {
  const command = withTenant(group.command('usage')).description(
    'Count the records of an organization by kind, from the counter items of its lists, and tell how much of its request budgets is spent, where anything is',
  );
  withJson(withTarget(command, 'MaintenanceRoleArn')).action(usage);
  withExamples(command, 'organizations usage --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --outputs outputs.json');
}

/** The spent fraction of a request budget. It is a fraction because the command does not know the limits of a stage. */
interface Budget {
  /** Null: the budget of the whole tenant. */
  readonly integration_id: string | null;
  /** A fraction of a minute's requests, counting only what containers have flushed. */
  readonly spent_percent: number;
}

async function usage(options: UsageOptions): Promise<void> {
  await using target = await openForTenant(options, 'MaintenanceRoleArn');
  const tenant = await openTenant(target.id);
  const [records, activeIntegrations, budgets] = await Promise.all([
    countsOf(tenant),
    activeIntegrationsOf(tenant),
    budgetsOf(tenant),
  ]);
  printResult(options, { org_id: tenant.orgId, records, active_integrations: activeIntegrations, budgets }, [
    ...Object.entries(records).map(([kind, count]) => `${String(count).padStart(9)}  ${kind}`),
    `${String(activeIntegrations).padStart(9)}  active integrations`,
    ...budgets.map(budgetLine),
  ]);
}

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

async function budgetsOf(tenant: Tenant): Promise<readonly Budget[]> {
  const budgets = await readBudgets(tenant);
  // The items of the others are there for the number of requests by day.
  return budgets
    .filter(({ spent }) => spent > 0)
    .map(({ integrationId, spent }) => ({
      integration_id: integrationId,
      spent_percent: Math.round(spent * 100),
    }));
}

const budgetLine = ({ integration_id, spent_percent }: Budget): string =>
  `${`${spent_percent} %`.padStart(9)}  of a minute's requests of ${ownerOf(integration_id)}`;

const ownerOf = (id: string | null): string => {
  if (id === DELIVERY_BUDGET) return 'its delivery budget';
  return id === null ? 'all integrations together' : `integration ${id}`;
};
