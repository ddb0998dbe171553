import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Contract, Route } from '#contract';
import type { Settings } from './settings.ts';
import { logGroup, prefixOf } from './stacks/stage-stack.ts';

interface FirewallProps {
  readonly stage: Stage;
  readonly contracts: readonly Contract[];
  readonly settings: Settings;
}

/**
 * Puts a web ACL in front of a stage: the stage's own firewall, an existing one of the account, or none.
 * @return the stage's own firewall
 */
export function protect(scope: Construct, props: FirewallProps): Firewall | undefined {
  const { stage, settings } = props;
  const hasFirewall = settings.webAclArn === undefined && settings.profile === 'standard';
  const firewall = hasFirewall ? new Firewall(scope, 'Firewall', props) : undefined;
  const webAclArn = firewall?.arn ?? settings.webAclArn;
  if (webAclArn !== undefined) {
    new CfnWebACLAssociation(firewall ?? scope, 'Association', { webAclArn, resourceArn: stage.stageArn });
  } else {
    Validations.of(stage).acknowledge({
      id: 'AwsSolutions-APIG3',
      reason: 'A firewall is most of what a small stage would cost: the settings `profile` and `webAclArn` decide.',
    });
  }
  return firewall;
}

/** AWS WAF in front of the stage: refuses known attacks, and too many requests of one address. */
export class Firewall extends Construct {
  readonly arn: string;
  /** Name of the metrics of the whole firewall; two stacks of an account must not share it. */
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
        ...(anonymous === undefined ? [] : [limit(1, 'anonymous-rate', anonymousLimit(settings), anonymous)]),
        managed(2, 'AWSManagedRulesCommonRuleSet', COUNTED_OF_CORE),
        managed(3, 'AWSManagedRulesKnownBadInputsRuleSet', COUNTED_OF_BAD_INPUTS),
      ],
    });
    this.arn = acl.attrArn;
    this.#logRefusals(acl, settings);
  }

  /** The metric over all rules. https://docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html */
  requests(metricName: 'AllowedRequests' | 'BlockedRequests'): Metric {
    return new Metric({
      namespace: 'AWS/WAFV2',
      metricName,
      dimensionsMap: { WebACL: this.#metricName, Rule: 'ALL', Region: Stack.of(this).region },
      statistic: 'Sum',
    });
  }

  #logRefusals(acl: CfnWebACL, settings: Settings): void {
    // AWS requires this prefix for a firewall's log group. The id is new for each new firewall.
    const logs = logGroup(this, 'Logs', settings, `aws-waf-logs-${prefixOf(this)}-${acl.attrId}`);
    const refused = [{ ActionCondition: { Action: 'BLOCK' } }];
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // WAF requires the ARN without the `:*` at the end of a log group's attribute.
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

/** Whoever has the value of one of these headers can act as the caller. */
const SECRET_HEADERS = ['authorization', 'cookie', 'x-signature'];

/**
 * Fields that WAF stores neither in the samples of the console nor in logs: the redaction of logs does not cover
 * samples. WAF stores the parts of a body that match a rule.
 * https://docs.aws.amazon.com/waf/latest/APIReference/API_DataProtectionConfig.html
 */
const PROTECTED: readonly CfnWebACL.FieldToProtectProperty[] = [
  { fieldType: 'SINGLE_HEADER', fieldKeys: SECRET_HEADERS },
  { fieldType: 'QUERY_STRING' },
  { fieldType: 'BODY' },
];

/**
 * Rules that count and do not block: all rules about bodies. A body is data that the service does not interpret: texts
 * of tickets, addresses of services, up to 1 MB. Somebody who reports an attack quotes it (`${jndi:…}`, a serialized
 * object), and must not be refused; no Java and no React renders it here. A program may also omit the user agent.
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

/** An address may send a tenth as many anonymous requests; ten is the least that WAF takes. */
export const anonymousLimit = ({ addressLimit }: Pick<Settings, 'addressLimit'>): number =>
  Math.max(10, Math.floor(addressLimit / 10));

/** @param requests limit of one address in five minutes, for the requests that `among` matches, or for all */
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

type Statement = CfnWebACL.StatementProperty;

/**
 * Matches requests that anybody can send, for a rule of AWS WAF: requests to routes whose contract needs no
 * credentials, and requests without a token to routes where a token is optional. It excludes webhooks: they are signed,
 * and one sender may deliver for many.
 *
 * WAF sees the path as the caller sent it: at API Gateway's own address with the stage's name in front, at a custom
 * domain without it or with a base path that was mapped by hand.
 * https://docs.aws.amazon.com/waf/latest/developerguide/logging-examples.html
 * @return undefined where the contracts have no such route
 */
export function anonymousRequests(contracts: readonly Contract[]): Statement | undefined {
  const open = pathsOf(contracts, 'none').map(atPath);
  const optional = pathsOf(contracts, 'bearer-optional').map(atPath);
  return anyOf([...open, ...optional.map((each) => allOf([each, WITHOUT_TOKEN]))]);
}

const pathsOf = (contracts: readonly Contract[], auth: Route['auth']): readonly string[] => {
  const routes = contracts.flatMap((contract) => Object.values(contract.routes));
  return [...new Set(routes.filter((route) => route.auth === auth).map(({ path }) => path))];
};

/** Normalizes the path first, because different spellings reach the same route. */
const atPath = (path: string): Statement => ({
  regexMatchStatement: {
    regexString: `^(?:/[^/]+)?${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '.+')}/?$`,
    fieldToMatch: { uriPath: {} },
    textTransformations: [
      { priority: 0, type: 'URL_DECODE' },
      { priority: 1, type: 'NORMALIZE_PATH' },
    ],
  },
});

const WITHOUT_TOKEN: Statement = {
  notStatement: {
    statement: {
      sizeConstraintStatement: {
        fieldToMatch: { singleHeader: { Name: 'authorization' } },
        comparisonOperator: 'GT',
        size: 0,
        textTransformations: [{ priority: 0, type: 'NONE' }],
      },
    },
  },
};

const allOf = (statements: readonly Statement[]): Statement => ({ andStatement: { statements: [...statements] } });

/** WAF wants two statements or more in an `or`. */
const anyOf = ([first, ...others]: readonly Statement[]): Statement | undefined =>
  first === undefined || others.length === 0 ? first : { orStatement: { statements: [first, ...others] } };
