import { Construct } from 'constructs';
import { apiMetric } from '../api-metric.ts';
import type { Firewall } from '../firewall.ts';
import type { Observed } from '../observed.ts';
import { AUTHORIZER } from '../rights.ts';
import type { Settings } from '../settings.ts';
import type { Table } from '../table.ts';
import { ApiAlarms } from './api-alarms.ts';
import { AuthorizerAlarms } from './authorizer-alarms.ts';
import { FirewallAlarms } from './firewall-alarms.ts';
import { FunctionAlarms } from './function-alarms.ts';
import { KeyAlarms } from './key-alarms.ts';
import { TableAlarms } from './table-alarms.ts';
import { AlarmTopic } from './topic.ts';

interface AlarmsProps {
  readonly observed: Observed;
  readonly table: Table;
  readonly firewall: Firewall | undefined;
  readonly settings: Settings;
}

/** Tells somebody when callers are badly served, and when no longer: by mail, where the stage names an address. */
export class Alarms extends Construct {
  constructor(scope: Construct, id: string, { observed, table, firewall, settings }: AlarmsProps) {
    super(scope, id);
    const { accessLogs, functions } = observed;
    const { alarmEmail } = settings;
    const topic = alarmEmail === undefined ? undefined : new AlarmTopic(this, 'Topic', alarmEmail).topic;
    const requests = apiMetric(this, 'Count', { statistic: 'Sum' });
    const authorizer = observed.lambda(AUTHORIZER);
    const all = [...functions];
    const behindRoutes = all.filter(([name]) => name !== AUTHORIZER);
    const withKeys = all.filter(([, { rights }]) => rights.signs ?? rights.verifies ?? rights.secrets);
    new ApiAlarms(this, 'Api', { topic, accessLogs, requests });
    new AuthorizerAlarms(this, 'Authorizer', { topic, accessLogs, requests, authorizer });
    new FunctionAlarms(this, 'Functions', topic, new Map(behindRoutes.map(([name, { lambda }]) => [name, lambda])));
    new TableAlarms(this, 'Table', { topic, table, requests });
    new KeyAlarms(this, 'Keys', {
      topic,
      logs: new Map(withKeys.map(([name, { logs }]) => [name, logs])),
      requests,
    });
    if (firewall !== undefined) new FirewallAlarms(this, 'Firewall', topic, firewall);
  }
}
