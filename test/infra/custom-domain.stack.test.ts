import { App } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { settingsFrom } from '../../infra/settings.ts';
import { resourcesOf, synthesize } from './synthesize.ts';

const CERTIFICATE = 'arn:aws:acm:eu-west-1:111122223333:certificate/0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a60';
const DOMAIN = { domainName: 'api.example.com', certificateArn: CERTIFICATE };

test('a domain of one’s own leads to the root of the stage, and takes TLS 1.2 at least', () => {
  const template = synthesize({ context: DOMAIN }).application;
  const [[domainId, domain] = []] = resourcesOf(template, 'AWS::ApiGateway::DomainName');
  expect(domain?.Properties).toMatchObject({
    DomainName: 'api.example.com',
    RegionalCertificateArn: CERTIFICATE,
    SecurityPolicy: 'TLS_1_2',
    EndpointConfiguration: { Types: ['REGIONAL'] },
  });
  const [[, mapping] = []] = resourcesOf(template, 'AWS::ApiGateway::BasePathMapping');
  const [[stageId] = []] = resourcesOf(template, 'AWS::ApiGateway::Stage');
  expect(mapping?.Properties).toMatchObject({ DomainName: { Ref: domainId }, Stage: { Ref: stageId } });
  expect(mapping?.Properties).not.toHaveProperty('BasePath');
  expect(template.toJSON().Outputs.BaseUrl.Value).toBe('https://api.example.com');
  expect(template.toJSON().Outputs).toMatchObject({
    DomainAliasTarget: { Value: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] } },
    DomainAliasZoneId: { Value: { 'Fn::GetAtt': [domainId, 'RegionalHostedZoneId'] } },
  });
});

test.each([
  ['with a domain', DOMAIN, /^"https:\/\/api\.example\.com"$/],
  ['without one', {}, /"https:\/\/".*"Ref":"\w*RestApi\w*".*\/dev"/],
])('the OpenAPI document of a stage %s names its address', (_, context, address) => {
  const template = synthesize({ context }).application;
  const told = resourcesOf(template, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
    const { Variables } = Properties.Environment as { readonly Variables: Readonly<Record<string, unknown>> };
    return Variables.API_BASE_URL === undefined ? [] : [[Properties.FunctionName, Variables.API_BASE_URL] as const];
  });
  expect(told).toEqual([['custodia-dev-openapi', template.toJSON().Outputs.BaseUrl.Value]]);
  expect(JSON.stringify(told[0]?.[1])).toMatch(address);
  expect(resourcesOf(template, 'AWS::ApiGateway::DomainName')).toHaveLength('domainName' in context ? 1 : 0);
});

test.each([
  [{ domainName: 'api.example.com' }, /domainName, certificateArn: both or neither/],
  [{ certificateArn: CERTIFICATE }, /both or neither/],
  [{ ...DOMAIN, domainName: 'https://api.example.com' }, /domainName: /],
  [{ ...DOMAIN, domainName: 'API.example.com' }, /domainName: /],
  [{ ...DOMAIN, domainName: 'localhost' }, /domainName: /],
  [{ ...DOMAIN, certificateArn: 'arn:aws:iam::1:server-certificate/x' }, /certificateArn: /],
])('settings %o are refused', (context, finding) => {
  expect(() => settingsFrom(new App({ context }).node)).toThrow(finding);
});
