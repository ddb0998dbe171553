import { Annotations, CfnOutput } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Contract } from '#contract';
import type { Firewall } from '../firewall.ts';
import type { Heartbeat } from '../heartbeat.ts';
import { apiMetric } from '../metrics.ts';
import type { Observed } from '../observed.ts';
import { AUTHORIZER, DELIVERY_BELL } from '../rights.ts';
import type { Settings } from '../settings.ts';
import type { TableReference } from '../table.ts';
import { AccessAlarms } from './access-alarms.ts';
import { ApiAlarms } from './api-alarms.ts';
import { AuthorizerAlarms } from './authorizer-alarms.ts';
import { CertificateAlarms } from './certificate-alarms.ts';
import { DeliveryAlarms } from './delivery-alarms.ts';
import { Events } from './events.ts';
import { FirewallAlarms } from './firewall-alarms.ts';
import { FunctionAlarms } from './function-alarms.ts';
import { HeartbeatAlarms } from './heartbeat-alarms.ts';
import { KeyAlarms } from './key-alarms.ts';
import { LoginAlarms } from './login-alarms.ts';
import { ObjectiveAlarms } from './objective-alarms.ts';
import { TableAlarms } from './table-alarms.ts';
import { topicsOf } from './topic.ts';

/** Names of the contracts with alarms of their own. */
export const HEALTH = 'health';
const AUTH = 'auth';

interface AlarmsProps {
  readonly contracts: readonly Contract[];
  readonly observed: Observed;
  readonly table: TableReference;
  /** All functions of the stage. */
  readonly keys: readonly IKey[];
  readonly firewall: Firewall | undefined;
  readonly heartbeat: Heartbeat | undefined;
  readonly settings: Settings;
}

/**
 * The alarms of a stage. They notify a mail address or a topic, where the stage names one, when they begin and when
 * they end.
 */
export class Alarms extends Construct {
  readonly #topics: readonly ITopic[];
  readonly #requests: IMetric;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.#topics = topicsOf(this, props.settings);
    this.#requests = apiMetric(this, 'Count', { statistic: 'Sum' });
    this.#sayWhoIsTold(props.settings);
    this.#always(props);
    if (props.settings.alarms === 'all') this.#beyondTen(props);
  }

  /** Without a topic, alarms show only in the console. */
  #sayWhoIsTold({ alarmEmail, alarmTopicArn }: Settings): void {
    const notified = [alarmEmail, alarmTopicArn].filter((each) => each !== undefined);
    const nobody = 'nobody: set alarmEmail or alarmTopicArn';
    if (notified.length === 0) Annotations.of(this).addInfo(`Alarms tell ${nobody}.`);
    new CfnOutput(this, 'ToldOfAlarms', {
      value: notified.length === 0 ? nobody : notified.join(', '),
    }).overrideLogicalId('ToldOfAlarms');
  }

  /** The alarms that even the smallest stage has: at most ten metrics, and the events that AWS sends free of charge. */
  #always({ observed, table, keys, heartbeat, settings }: AlarmsProps): void {
    const { alarms, backupRetentionDays, certificateArn, stage } = settings;
    const [topics, requests] = [this.#topics, this.#requests];
    const healthChecks = callsOf(observed, HEALTH);
    new ObjectiveAlarms(this, 'Objective', {
      topics,
      accessLogs: observed.accessLogs,
      requests,
      healthChecks,
      isSmall: alarms === 'ten',
    });
    new AccessAlarms(
      this,
      'Access',
      topics,
      new Map(Array.from(observed.functions, ([name, { logs }]) => [name, logs])),
    );
    if (certificateArn !== undefined) new CertificateAlarms(this, 'Certificate', topics, certificateArn);
    if (heartbeat !== undefined) {
      const count = (name: 'metricInvocations' | 'metricErrors') => heartbeat.lambda[name]({ statistic: 'Sum' });
      new HeartbeatAlarms(this, 'Heartbeat', {
        topics,
        calls: count('metricInvocations'),
        errors: count('metricErrors'),
      });
    }
    if (topics.length === 0) return;
    new Events(this, 'Events', {
      topics,
      stage,
      keys: keys.map(({ keyArn }) => keyArn),
      backedUp: backupRetentionDays === undefined ? undefined : table.tableArn,
    });
  }

  #beyondTen({ contracts, observed, table, firewall }: AlarmsProps): void {
    const [topics, requests] = [this.#topics, this.#requests];
    const { accessLogs, functions } = observed;
    const all = [...functions];
    const others = all.filter(([name]) => name !== AUTHORIZER);
    const withKeys = all.filter(
      ([
        ,
        {
          rights: { signs, verifies, secrets, endpointSecrets },
        },
      ]) => [signs, verifies, secrets, endpointSecrets].some(Boolean),
    );
    new ApiAlarms(this, 'Api', { topics, accessLogs, requests });
    new AuthorizerAlarms(this, 'Authorizer', { topics, accessLogs, requests, authorizer: observed.lambda(AUTHORIZER) });
    const [route, attempts] = [contracts.find(({ name }) => name === AUTH)?.routes.login, callsOf(observed, AUTH)];
    if (route !== undefined && attempts !== undefined)
      new LoginAlarms(this, 'Login', { topics, accessLogs, route, attempts });
    new FunctionAlarms(this, 'Functions', topics, new Map(others.map(([name, { lambda }]) => [name, lambda])));
    const bell = table.tableStreamArn === undefined ? undefined : observed.lambda(DELIVERY_BELL);
    new DeliveryAlarms(this, 'Deliveries', { topics, bell });
    new TableAlarms(this, 'Table', { topics, table, requests });
    new KeyAlarms(this, 'Keys', { topics, logs: new Map(withKeys.map(([name, { logs }]) => [name, logs])), requests });
    if (firewall !== undefined) new FirewallAlarms(this, 'Firewall', topics, firewall);
  }
}

/** The invocations of a function, if the application has it. */
const callsOf = ({ functions }: Observed, name: string): IMetric | undefined =>
  functions.get(name)?.lambda.metric('Invocations', { statistic: 'Sum' });
