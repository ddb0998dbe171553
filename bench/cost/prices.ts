/**
 * List prices of AWS in US dollars, for the region us-east-1, without free tiers and discounts for volume. Whoever
 * changes a figure here also changes the date.
 */
export const PRICED_ON = '2026-11-21';

/** A price: what for, how much, and AWS's page. */
interface Price {
  readonly what: string;
  readonly dollars: number;
  readonly source: string;
}

const price = (dollars: number, what: string, source: string): Price => ({ dollars, what, source });

export const PRICES = {
  gatewayRequests: price(3.5, 'a million requests to a REST API', 'https://aws.amazon.com/api-gateway/pricing/'),
  firewallRequests: price(0.6, 'a million requests that the firewall looks at', 'https://aws.amazon.com/waf/pricing/'),
  firewall: price(5, 'a web ACL, a month', 'https://aws.amazon.com/waf/pricing/'),
  firewallRule: price(1, 'a rule or group of rules of a web ACL, a month', 'https://aws.amazon.com/waf/pricing/'),
  functionRequests: price(0.2, 'a million runs of functions', 'https://aws.amazon.com/lambda/pricing/'),
  functionSeconds: price(13.3334, 'a million GB-seconds of functions on Arm', 'https://aws.amazon.com/lambda/pricing/'),
  writeUnits: price(0.625, 'a million write request units', 'https://aws.amazon.com/dynamodb/pricing/on-demand/'),
  readUnits: price(0.125, 'a million read request units', 'https://aws.amazon.com/dynamodb/pricing/on-demand/'),
  tableStorage: price(0.25, 'a GB in the table, a month', 'https://aws.amazon.com/dynamodb/pricing/on-demand/'),
  recovery: price(0.2, 'point-in-time recovery of a GB, a month', 'https://aws.amazon.com/dynamodb/pricing/on-demand/'),
  queueRequests: price(
    0.5,
    'a million requests to a queue that is fair by tenant',
    'https://aws.amazon.com/sqs/pricing/',
  ),
  key: price(1, 'a key, a month', 'https://aws.amazon.com/kms/pricing/'),
  keyRequests: price(3, 'a million symmetric key requests', 'https://aws.amazon.com/kms/pricing/'),
  signatures: price(15, 'a million signatures with an elliptic curve', 'https://aws.amazon.com/kms/pricing/'),
  logs: price(0.5, 'a GB of logs taken in', 'https://aws.amazon.com/cloudwatch/pricing/'),
  logStorage: price(0.03, 'a GB of logs kept, a month', 'https://aws.amazon.com/cloudwatch/pricing/'),
  metric: price(0.3, 'a metric of one’s own, a month', 'https://aws.amazon.com/cloudwatch/pricing/'),
  alarmMetric: price(0.1, 'a metric that an alarm looks at, a month', 'https://aws.amazon.com/cloudwatch/pricing/'),
  compositeAlarm: price(0.5, 'a composite alarm, a month', 'https://aws.amazon.com/cloudwatch/pricing/'),
  dashboard: price(3, 'a dashboard, a month', 'https://aws.amazon.com/cloudwatch/pricing/'),
  transfer: price(0.09, 'a GB sent to the internet', 'https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer'),
} as const satisfies Readonly<Record<string, Price>>;

export type PriceName = keyof typeof PRICES;
