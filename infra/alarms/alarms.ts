import { Annotations, CfnOutput } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { Contract } from '#contract';
import type { Firewall } from '../firewall.ts';
import type { Heartbeat } from '../heartbeat.ts';
import { apiMetric, failures } from '../metrics.ts';
import type { Observed } from '../observed.ts';
import { AUTHORIZER, DELIVERY_WAKE_UP } from '../rights.ts';
import type { Settings } from '../settings.ts';
import type { TableReference } from '../table.ts';
import { type AlarmRow, addAlarm, type CompositeRow } from './alarm.ts';
import { Events } from './events.ts';
import { countLogLines } from './log-metrics.ts';
import { objectiveRows } from './objective.ts';
import * as rows from './rows.ts';
import { topicsOf } from './topics.ts';

/** Names of the contracts with alarms of their own. */
export const HEALTH = 'health';
const AUTH = 'auth';

interface AlarmsProps {
  readonly contracts: readonly Contract[];
  readonly observed: Observed;
  readonly table: TableReference;
  /** All keys of the stage. */
  readonly keys: readonly IKey[];
  readonly firewall: Firewall | undefined;
  readonly heartbeat: Heartbeat | undefined;
  readonly settings: Settings;
}

/** Rows by what they watch, which is a part of the alarms' logical ids. */
type Rows = Readonly<Record<string, readonly (AlarmRow | CompositeRow)[]>>;

/**
 * The alarms of a stage. They notify a mail address or a topic, where the stage names one, when they begin and when
 * they end.
 */
export class Alarms extends Construct {
  readonly #requests: IMetric;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { contracts, observed, table, keys, settings } = props;
    const isSmall = settings.profile === 'small';
    const login = contracts.find(({ name }) => name === AUTH)?.routes.login;
    this.#requests = apiMetric(this, 'Count', { statistic: 'Sum' });
    countLogLines(this, { observed, login, isSmall });
    const topics = topicsOf(this, settings);
    const all: Rows = { ...this.#always(props, isSmall), ...(isSmall ? {} : this.#beyondTen(props)) };
    for (const [watched, each] of Object.entries(all)) {
      const group = new Construct(this, watched);
      for (const row of each) addAlarm(group, row, topics);
    }
    if (topics.length > 0)
      new Events(this, 'Events', {
        topics,
        stage: settings.stage,
        keys: keys.map(({ keyArn }) => keyArn),
        backedUp: settings.backupRetentionDays === undefined ? undefined : table.tableArn,
      });
    this.#warnWithoutRecipients(settings);
  }

  /** Without a recipient, alarms show only in the console. */
  #warnWithoutRecipients({ alarmEmail, alarmTopicArn }: Settings): void {
    const recipients = [alarmEmail, alarmTopicArn].filter((each) => each !== undefined);
    const nobody = 'nobody: set alarmEmail or alarmTopicArn';
    if (recipients.length === 0) Annotations.of(this).addInfo(`Alarms notify ${nobody}.`);
    const value = recipients.length === 0 ? nobody : recipients.join(', ');
    new CfnOutput(this, 'AlarmRecipients', { value }).overrideLogicalId('AlarmRecipients');
  }

  /** The alarms that even the smallest stage has, with at most ten metrics. */
  #always({ observed, heartbeat, settings: { certificateArn } }: AlarmsProps, isSmall: boolean): Rows {
    const [requests, healthChecks] = [this.#requests, callsOf(observed, HEALTH)];
    return {
      Objective: objectiveRows({ requests, failed: failures(this), healthChecks, isSmall }),
      Access: rows.accessRows(this),
      ...(certificateArn !== undefined && { Certificate: rows.certificateRows(certificateArn) }),
      ...(heartbeat !== undefined && { Heartbeat: rows.heartbeatRows(heartbeat.lambda) }),
    };
  }

  #beyondTen({ observed, table, firewall }: AlarmsProps): Rows {
    const requests = this.#requests;
    const functions = Array.from(observed.functions, ([name, { lambda }]) => [name, lambda] as const);
    const logins = callsOf(observed, AUTH);
    const wakeUp = table.tableStreamArn === undefined ? undefined : observed.lambda(DELIVERY_WAKE_UP);
    return {
      Api: rows.apiRows(this, requests),
      Authorizer: rows.authorizerRows(this, requests, observed.lambda(AUTHORIZER)),
      ...(logins !== undefined && { Login: rows.loginRows(this, logins) }),
      Functions: rows.functionRows(functions.filter(([name]) => name !== AUTHORIZER)),
      Deliveries: rows.deliveryRows(this, wakeUp),
      Table: rows.tableRows(table, requests),
      Keys: rows.keyRows(this, requests),
      ...(firewall !== undefined && { Firewall: rows.firewallRows(firewall) }),
    };
  }
}

/** The invocations of a function, if the application has it. */
const callsOf = ({ functions }: Observed, name: string): IMetric | undefined =>
  functions.get(name)?.lambda.metric('Invocations', { statistic: 'Sum' });
