import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { logGroup } from './logs.ts';
import type { Settings } from './settings.ts';

/** AWS WAF in front of the stage: known attacks, and more requests of one address than a client has reason to send. */
export class Firewall extends Construct {
  /** By which the metrics of the whole are known; two stacks of an account must not share it. */
  readonly #metricName: string;

  constructor(scope: Construct, id: string, stage: Stage, settings: Settings) {
    super(scope, id);
    this.#metricName = Stack.of(this).stackName;
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(this.#metricName),
      rules: [
        {
          name: 'address-rate',
          priority: 0,
          action: { block: {} },
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: settings.addressLimit } },
          visibilityConfig: visibility('address-rate'),
        },
        managed(1, 'AWSManagedRulesCommonRuleSet', COUNTED_OF_CORE),
        managed(2, 'AWSManagedRulesKnownBadInputsRuleSet', COUNTED_OF_BAD_INPUTS),
      ],
    });
    new CfnWebACLAssociation(this, 'Association', { webAclArn: acl.attrArn, resourceArn: stage.stageArn });
    this.#logRefusals(acl, settings);
  }

  /** Over all rules. https://docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html */
  requests(metricName: 'AllowedRequests' | 'BlockedRequests'): Metric {
    return new Metric({
      namespace: 'AWS/WAFV2',
      metricName,
      dimensionsMap: { WebACL: this.#metricName, Rule: 'ALL', Region: Stack.of(this).region },
      statistic: 'Sum',
    });
  }

  #logRefusals(acl: CfnWebACL, settings: Settings): void {
    // AWS takes no other prefix for a firewall's log group. The id of the firewall is new whenever the firewall is.
    const logs = logGroup(this, 'Logs', settings, `aws-waf-logs-${Stack.of(this).stackName}-${acl.attrId}`);
    const refused = [{ ActionCondition: { Action: 'BLOCK' } }];
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // The service wants the ARN without the `:*` that a log group's own attribute ends with.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: logs.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [{ Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: refused }],
      },
      redactedFields: [{ singleHeader: { Name: 'authorization' } }],
    });
  }
}

/**
 * Rules that count and do not block: all that look into bodies. A body of this API is data that nothing here interprets: texts of tickets,
 * addresses of services, up to 1 MB. Somebody who reports an attack quotes it (`${jndi:…}`, a serialized object), and must not be refused for
 * it; no Java and no React renders it here. And a machine need not say which user agent it is.
 * https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html
 */
const COUNTED_OF_CORE = [
  'SizeRestrictions_BODY',
  'CrossSiteScripting_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'EC2MetaDataSSRF_BODY',
  'NoUserAgent_HEADER',
];
const COUNTED_OF_BAD_INPUTS = ['JavaDeserializationRCE_BODY', 'Log4JRCE_BODY', 'ReactJSRCE_BODY'];

const managed = (priority: number, name: string, counted: readonly string[]): CfnWebACL.RuleProperty => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: visibility(name),
});

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true };
}
