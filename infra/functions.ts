import { Duration } from 'aws-cdk-lib';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Contract } from '#contract';
import type { Attachments } from './attachments.ts';
import type { Bundles } from './bundling/bundle.ts';
import { HEARTBEAT } from './heartbeat.ts';
import type { Keys } from './keys.ts';
import {
  AUTHORIZER,
  BACKGROUND,
  DELIVERIES,
  DELIVERY_SCHEDULE,
  DELIVERY_WAKE_UP,
  HELD_ALERTS,
  keyOfTenantRole,
  type Rights,
  rightsOf,
  type TenantRights,
} from './rights.ts';
import { TenantRole } from './roles/tenant-role.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';
import type { Settings } from './settings.ts';
import type { TableReference } from './table.ts';

interface FunctionsProps {
  readonly contracts: readonly Contract[];
  readonly bundles: Bundles;
  readonly table: TableReference;
  readonly attachments: Attachments;
  readonly keys: Keys;
  readonly settings: Settings;
}

/** Every function that the gateway calls: one per contract, and the authorizer. */
export const namesBehindGateway = (contracts: readonly Contract[]): readonly string[] => [
  AUTHORIZER,
  ...contracts.map(({ name }) => name),
];

/** Every function of the application: those behind the gateway, and those of the background. */
export const functionNames = (contracts: readonly Contract[]): readonly string[] => [
  ...namesBehindGateway(contracts),
  ...BACKGROUND,
];

/** The functions to bundle: those of the application, and the heartbeat that calls them (`heartbeat.ts`). */
export const bundleNames = (contracts: readonly Contract[]): readonly string[] => [
  ...functionNames(contracts),
  HEARTBEAT,
];

/** How Lambda runs a function, and what becomes of failed calls. */
type Running = Pick<ServiceFunctionProps, 'timeout' | 'memorySize' | 'noDeadLetters' | 'recursiveLoop'>;

const behindGateway = ({ memory }: Settings): Running => ({
  // The gateway's own timeout for the response.
  timeout: Duration.seconds(29),
  memorySize: memory,
  noDeadLetters:
    'Only API Gateway calls it, and waits for the response: a dead letter queue is for calls that nobody waits for.',
});

const CALLED_AGAIN = 'A schedule calls it: the next call, five minutes later, finds whatever the failed one left.';

/** They wait for others most of their time, so they have less memory than functions that somebody waits for. */
const IN_BACKGROUND: Readonly<Record<(typeof BACKGROUND)[number], Running>> = {
  [DELIVERIES]: {
    // A turn of 20 s, a call of 10 s that began at its end, and time to store what came of it.
    timeout: Duration.seconds(60),
    memorySize: 512,
    // It wakes itself later, where an endpoint fails. Lambda would take that for a mistake after 16 times:
    // https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
    recursiveLoop: RecursiveLoop.ALLOW,
    noDeadLetters: 'A queue calls it, and has a dead letter queue of its own for wake-ups that fail again and again.',
  },
  [DELIVERY_WAKE_UP]: {
    timeout: Duration.seconds(30),
    memorySize: 256,
    noDeadLetters: 'A stream calls it, whose mapping sends what fails again and again to the dead letter queue.',
  },
  [DELIVERY_SCHEDULE]: {
    timeout: Duration.seconds(90),
    memorySize: 512,
    noDeadLetters: CALLED_AGAIN,
  },
  [HELD_ALERTS]: { timeout: Duration.seconds(90), memorySize: 512, noDeadLetters: CALLED_AGAIN },
};

/** The functions, and the tenant roles under which they work on the table. */
export class Functions extends Construct {
  readonly byName: ReadonlyMap<string, ServiceFunction>;
  readonly #props: FunctionsProps;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    this.#props = props;
    this.byName = new Map([
      [AUTHORIZER, this.#make(AUTHORIZER, rightsOf(AUTHORIZER), behindGateway(props.settings))],
      ...props.contracts.map(
        (contract) =>
          [contract.name, this.#make(contract.name, rightsOf(contract), behindGateway(props.settings))] as const,
      ),
      ...BACKGROUND.map((name) => [name, this.#make(name, rightsOf(name), IN_BACKGROUND[name])] as const),
    ]);
    const { authorizerCacheSeconds } = props.settings;
    this.named(AUTHORIZER).lambda.addEnvironment('AUTHORIZER_CACHE_SECONDS', String(authorizerCacheSeconds));
    this.#tenantRole('SignInRole', 'sign-in');
    this.#tenantRole('AlertsRole', 'alerts');
    this.#tenantRole('PlainTenantRole', 'records-without-secrets');
    this.#tenantRole('TenantRole', 'records');
    this.#tenantRole('AuditedRecordsRole', 'audited-records');
    this.#tenantRole('AttachmentsRole', 'attachments');
    this.#tenantRole('LiveCallersRole', 'live-callers');
    this.#tenantRole('GrantsRole', 'grants');
    this.#tenantRole('BatchesRole', 'batches');
    this.#tenantRole('OrganizationsRole', 'organizations');
    this.#tenantRole('IntegrationsRole', 'integrations');
    this.#tenantRole('EndpointsRole', 'endpoints');
    this.#tenantRole('DeliveriesRole', 'deliveries');
  }

  /** @throws TypeError where the stack has no such function */
  named(name: string): ServiceFunction {
    return found(this.byName, name, 'function');
  }

  #make(name: string, rights: Rights, running: Running): ServiceFunction {
    const { bundles, table, keys, settings } = this.#props;
    return new ServiceFunction(this, name, {
      name,
      bundle: found(bundles, name, 'bundle'),
      rights,
      table,
      keys,
      settings,
      ...running,
    });
  }

  #tenantRole(id: string, kind: TenantRights): void {
    const functions = [...this.byName.values()].filter(({ rights }) => rights.tenants === kind);
    if (functions.length === 0) return;
    const { table, attachments, keys } = this.#props;
    const key = keyOfTenantRole(functions.map(({ rights }) => rights));
    const { role } = new TenantRole(this, id, { table, kind, key });
    if (kind === 'attachments') {
      attachments.allow(role, 's3:PutObject', 's3:GetObject', 's3:DeleteObject');
      for (const { lambda } of functions) lambda.addEnvironment('ATTACHMENTS_URL', attachments.url);
    }
    for (const each of functions) each.workUnder(role);
    if (key === 'secrets') keys.allowSecretsOfTenant(role);
    if (key === 'endpoint-secrets') keys.allowEndpointSecrets(role);
  }
}

export function found<T>(map: ReadonlyMap<string, T>, name: string, what: string): T {
  const value = map.get(name);
  if (value === undefined) throw new TypeError(`there is no ${what} for ${name}`);
  return value;
}
