import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { BROUGHT, resourcesOf, SMALL, synthesize } from './synthesize.ts';

interface Rule {
  readonly Name: string;
  readonly Priority: number;
  readonly Statement: { readonly RateBasedStatement: RateBased };
}

interface RateBased {
  readonly Limit: number;
  readonly ScopeDownStatement?: Statement;
}

/** What a request has to be for a rule. */
interface Statement {
  readonly OrStatement?: { readonly Statements: readonly Statement[] };
  readonly AndStatement?: { readonly Statements: readonly Statement[] };
  readonly NotStatement?: { readonly Statement: Statement };
  readonly RegexMatchStatement?: { readonly RegexString: string };
  readonly SizeConstraintStatement?: { readonly Size: number };
}

interface Acl {
  readonly Rules: readonly Rule[];
  readonly DataProtectionConfig: {
    readonly DataProtections: readonly {
      readonly Field: { readonly FieldType: string; readonly FieldKeys?: string[] };
    }[];
  };
}

const aclOf = (template: Template): Acl => {
  const [[, acl] = []] = resourcesOf(template, 'AWS::WAFv2::WebACL');
  return acl?.Properties as unknown as Acl;
};

let template: Template;
let acl: Acl;
beforeAll(() => {
  template = synthesize({ context: { stage: 'prod' } }).application;
  acl = aclOf(template);
});

describe('the firewall', () => {
  it('stands before the stage, with its rules in this order', () => {
    template.resourceCountIs('AWS::WAFv2::WebACLAssociation', 1);
    expect(acl.Rules.toSorted((a, b) => a.Priority - b.Priority).map(({ Name }) => Name)).toEqual([
      'address-rate',
      'anonymous-rate',
      'AWSManagedRulesCommonRuleSet',
      'AWSManagedRulesKnownBadInputsRuleSet',
    ]);
  });

  it('blocks an address that sends too much, and known attacks but in bodies', () => {
    const [address, anonymous, core, badInputs] = acl.Rules;
    for (const [rule, limit] of [
      [address, 10_000],
      [anonymous, 1_000],
    ] as const) {
      expect(rule).toMatchObject({
        Action: { Block: {} },
        Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: limit } },
      });
    }
    for (const managed of [core, badInputs]) {
      expect(managed).toMatchObject({
        OverrideAction: { None: {} },
        Statement: { ManagedRuleGroupStatement: { VendorName: 'AWS' } },
      });
    }
    const countedBy = (set: unknown) =>
      Array.from(JSON.stringify(set).matchAll(/"Count":\{\}\},"Name":"(\w+)"/g), ([, name]) => name).toSorted();
    // All rules of the two sets that look into bodies.
    expect(countedBy(core)).toEqual([
      'CrossSiteScripting_BODY',
      'EC2MetaDataSSRF_BODY',
      'GenericLFI_BODY',
      'GenericRFI_BODY',
      'NoUserAgent_HEADER',
      'SizeRestrictions_BODY',
    ]);
    expect(countedBy(badInputs)).toEqual(['JavaDeserializationRCE_BODY', 'Log4JRCE_BODY', 'ReactJSRCE_BODY']);
  });

  it('keeps no credential in samples and logs, whatever rule it met', () => {
    const { DataProtections } = acl.DataProtectionConfig;
    expect(DataProtections).toEqual([
      {
        Action: 'SUBSTITUTION',
        Field: { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization', 'cookie', 'x-signature'] },
      },
      { Action: 'SUBSTITUTION', Field: { FieldType: 'QUERY_STRING' } },
      { Action: 'SUBSTITUTION', Field: { FieldType: 'BODY' } },
    ]);
    template.hasResourceProperties('AWS::WAFv2::LoggingConfiguration', {
      RedactedFields: [
        ...['authorization', 'cookie', 'x-signature'].map((Name) => ({ SingleHeader: { Name } })),
        { QueryString: {} },
      ],
    });
  });
});

/** As WAF decides, of a path whose transformations leave it as it is. */
function matches(statement: Statement, request: { readonly path: string; readonly authorization?: string }): boolean {
  const { OrStatement, AndStatement, NotStatement, RegexMatchStatement, SizeConstraintStatement } = statement;
  if (OrStatement !== undefined) return OrStatement.Statements.some((each) => matches(each, request));
  if (AndStatement !== undefined) return AndStatement.Statements.every((each) => matches(each, request));
  if (NotStatement !== undefined) return !matches(NotStatement.Statement, request);
  if (RegexMatchStatement !== undefined) return new RegExp(RegexMatchStatement.RegexString).test(request.path);
  if (SizeConstraintStatement !== undefined) return (request.authorization?.length ?? 0) > SizeConstraintStatement.Size;
  throw new Error(`not known here: ${JSON.stringify(statement)}`);
}

describe('the rule for requests that anybody can send', () => {
  const isCounted = (path: string, authorization?: string): boolean => {
    const rule = acl.Rules.find(({ Name }) => Name === 'anonymous-rate');
    const { ScopeDownStatement = {} } = rule?.Statement.RateBasedStatement ?? {};
    return matches(ScopeDownStatement, { path, ...(authorization === undefined ? {} : { authorization }) });
  };
  const routes = contracts.flatMap((contract) => Object.values(contract.routes));

  it.each(routes)('counts $method $path by its `auth`, on both addresses', ({ path, auth }) => {
    const sent = path.replaceAll(/\{\w+\}/g, '87d6100d-2b60-4835-bac5-aa9ec3a1528a');
    const isOptional = routes.some((other) => other.path === path && other.auth === 'bearer-optional');
    for (const address of [sent, `/prod${sent}`, `/base-path${sent}`, `${sent}/`]) {
      expect([address, isCounted(address)]).toEqual([address, auth === 'none' || isOptional]);
      expect([address, isCounted(address, 'Bearer x')]).toEqual([address, auth === 'none']);
    }
  });

  it('counts nothing that only looks like it', () => {
    for (const path of ['/api/v1/auth/loginx', '/x/prod/api/v1/auth/login', '/xwell-known/jwks'])
      expect([path, isCounted(path)]).toEqual([path, false]);
  });

  it('sees through addresses that are written otherwise, in the few constructs that WAF takes', () => {
    const text = JSON.stringify(acl.Rules.find(({ Name }) => Name === 'anonymous-rate'));
    const patterns = Array.from(text.matchAll(/"RegexString":"([^"]+)"/g), ([, pattern = '']) => pattern);
    expect(patterns.length).toBeGreaterThan(4);
    for (const pattern of patterns) expect(pattern.length, pattern).toBeLessThanOrEqual(512);
    // No capturing groups, and few branches: https://docs.aws.amazon.com/waf/latest/developerguide/waf-regex-pattern-support.html
    expect(patterns.filter((pattern) => /\((?!\?:)|\|/.test(pattern))).toEqual([]);
    const transformed = /\{"Priority":0,"Type":"URL_DECODE"\},\{"Priority":1,"Type":"NORMALIZE_PATH"\}/g;
    expect([...text.matchAll(transformed)]).toHaveLength(patterns.length);
  });
});

describe('without a firewall of its own', () => {
  const { webAclArn } = BROUGHT;

  it('a stage is behind the web ACL of the account, if it names one', () => {
    const { application: behind, operations } = synthesize({ context: { stage: 'prod', webAclArn } });
    behind.resourceCountIs('AWS::WAFv2::WebACL', 0);
    behind.resourceCountIs('AWS::WAFv2::LoggingConfiguration', 0);
    behind.hasResourceProperties('AWS::WAFv2::WebACLAssociation', { WebACLArn: webAclArn });
    // Whose metrics have a name that only the web ACL knows.
    expect(JSON.stringify(operations.toJSON())).not.toContain('AWS/WAFV2');
  });

  it('a small stage has none', () => {
    const small = synthesize({ context: SMALL }).application;
    small.resourceCountIs('AWS::WAFv2::WebACL', 0);
    small.resourceCountIs('AWS::WAFv2::WebACLAssociation', 0);
  });
});
