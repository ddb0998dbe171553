import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Contract } from '#contract';
import { anonymousRequests } from './anonymous-paths.ts';
import { logGroup } from './logs.ts';
import type { Settings } from './settings.ts';
import { prefixOf } from './stacks/stage-stack.ts';

interface FirewallProps {
  readonly stage: Stage;
  readonly contracts: readonly Contract[];
  readonly settings: Settings;
}

/**
 * Puts a web ACL before a stage: a firewall of the stage's own, one that the account has already, or none.
 * @return the stage's own
 */
export function protect(scope: Construct, props: FirewallProps): Firewall | undefined {
  const { stage, settings } = props;
  const firewall = settings.firewall ? new Firewall(scope, 'Firewall', props) : undefined;
  const webAclArn = firewall?.arn ?? settings.webAclArn;
  if (webAclArn !== undefined) {
    new CfnWebACLAssociation(firewall ?? scope, 'Association', { webAclArn, resourceArn: stage.stageArn });
  } else {
    Validations.of(stage).acknowledge({
      id: 'AwsSolutions-APIG3',
      reason:
        'A firewall is most of what a small stage would cost, so a stage decides: the settings `firewall` and `webAclArn`.',
    });
  }
  return firewall;
}

/** AWS WAF in front of the stage: known attacks, and more requests of one address than a client has reason to send. */
export class Firewall extends Construct {
  readonly arn: string;
  /** By which the metrics of the whole are known; two stacks of an account must not share it. */
  readonly #metricName: string;

  constructor(scope: Construct, id: string, { contracts, settings }: FirewallProps) {
    super(scope, id);
    this.#metricName = prefixOf(this);
    const anonymous = anonymousRequests(contracts);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(this.#metricName),
      dataProtectionConfig: { dataProtections: PROTECTED.map((field) => ({ field, action: 'SUBSTITUTION' })) },
      rules: [
        limit(0, 'address-rate', settings.addressLimit),
        ...(anonymous === undefined ? [] : [limit(1, 'anonymous-rate', settings.anonymousAddressLimit, anonymous)]),
        managed(2, 'AWSManagedRulesCommonRuleSet', COUNTED_OF_CORE),
        managed(3, 'AWSManagedRulesKnownBadInputsRuleSet', COUNTED_OF_BAD_INPUTS),
      ],
    });
    this.arn = acl.attrArn;
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
    const logs = logGroup(this, 'Logs', settings, `aws-waf-logs-${prefixOf(this)}-${acl.attrId}`);
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
      redactedFields: [...SECRET_HEADERS.map((Name) => ({ singleHeader: { Name } })), { queryString: {} }],
    });
  }
}

/** Whoever has the value of one of these is the caller. */
const SECRET_HEADERS = ['authorization', 'cookie', 'x-signature'];

/**
 * What WAF keeps of no request, neither in the samples that the console shows nor in logs: the redaction of logs does not reach samples. Parts of a
 * body are kept where a rule finds something in it.
 * https://docs.aws.amazon.com/waf/latest/APIReference/API_DataProtectionConfig.html
 */
const PROTECTED: readonly CfnWebACL.FieldToProtectProperty[] = [
  { fieldType: 'SINGLE_HEADER', fieldKeys: SECRET_HEADERS },
  { fieldType: 'QUERY_STRING' },
  { fieldType: 'BODY' },
];

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

/** @param requests of one address in five minutes, of those that `among` matches, or of all */
const limit = (
  priority: number,
  name: string,
  requests: number,
  among?: CfnWebACL.StatementProperty,
): CfnWebACL.RuleProperty => ({
  name,
  priority,
  action: { block: {} },
  statement: {
    rateBasedStatement: {
      aggregateKeyType: 'IP',
      limit: requests,
      ...(among === undefined ? {} : { scopeDownStatement: among }),
    },
  },
  visibilityConfig: visibility(name),
});

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
