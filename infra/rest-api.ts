import { CfnOutput, Fn, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  DomainName,
  EndpointType,
  LogGroupLogDestination,
  type RestApiBase,
  RestApiMode,
  SecurityPolicy,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Contract } from '#contract';
import { apiBody } from './api-body/body.ts';
import { originVariables } from './api-body/undeclared.ts';
import { namesBehindGateway } from './functions.ts';
import { AUTHORIZER } from './rights.ts';
import { liveName, NO_TRACES } from './service-function.ts';
import type { Settings } from './settings.ts';
import { logGroup, prefixOf } from './stacks/stage-stack.ts';

interface ApiProps {
  readonly contracts: readonly Contract[];
  readonly settings: Settings;
}

/**
 * The REST API, imported as one OpenAPI document (`api-body/body.ts`). It uses the fixed names of the functions'
 * aliases, which are in another stack.
 */
export class Api extends Construct {
  readonly rest: SpecRestApi;
  readonly accessLogs: LogGroup;
  /** Where callers find the paths of the contracts. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, { contracts, settings }: ApiProps) {
    super(scope, id);
    this.accessLogs = logGroup(this, 'AccessLogs', settings);
    this.rest = restApi(this, contracts, this.accessLogs, settings);
    this.#accept();
    this.#mayInvoke(contracts);
    this.baseUrl = this.#address(settings);
  }

  /** Exceptions from cdk-nag's rules, with their reasons. */
  #accept(): void {
    Validations.of(this.rest).acknowledge({
      id: 'AwsSolutions-APIG2',
      reason: 'Functions validate requests by the contracts and name every finding; the gateway’s models name none.',
    });
    Validations.of(this.rest.deploymentStage).acknowledge(
      {
        id: 'AwsSolutions-APIG6',
        reason:
          'The access log has every request with its error. Execution logs have tokens, in a group without retention.',
      },
      { id: 'Serverless-APIGWXrayEnabled', reason: NO_TRACES },
    );
  }

  #address({ stage, domainName, certificateArn }: Settings): string {
    if (domainName === undefined || certificateArn === undefined) {
      const { region, urlSuffix } = Stack.of(this);
      return `https://${this.rest.restApiId}.execute-api.${region}.${urlSuffix}/${stage}`;
    }
    addCustomDomain(new Construct(this, 'CustomDomain'), this.rest, domainName, certificateArn);
    return `https://${domainName}`;
  }

  /**
   * One permission for each function: one for each method would exceed the 20 KB of an alias's policy. The deployment
   * depends on them, so that new routes go live only when their functions may be called.
   */
  #mayInvoke(contracts: readonly Contract[]): void {
    const permissions = new Construct(this, 'MayInvoke');
    const authorizers = Stack.of(this).formatArn({
      service: 'execute-api',
      resource: this.rest.restApiId,
      resourceName: 'authorizers/*',
    });
    for (const name of namesBehindGateway(contracts))
      new CfnPermission(permissions, name, {
        action: 'lambda:InvokeFunction',
        functionName: liveName(this, name),
        principal: 'apigateway.amazonaws.com',
        sourceArn: name === AUTHORIZER ? authorizers : this.rest.arnForExecuteApi(),
      });
    this.rest.latestDeployment?.node.addDependency(permissions);
  }
}

function restApi(
  scope: Construct,
  contracts: readonly Contract[],
  accessLogs: LogGroup,
  settings: Settings,
): SpecRestApi {
  const name = prefixOf(scope);
  const body = apiBody({
    name,
    contracts,
    settings,
    invocationUri: (name) => invocationUri(scope, name),
  });
  return new SpecRestApi(scope, 'RestApi', {
    restApiName: name,
    apiDefinition: ApiDefinition.fromInline(body),
    // An import deletes what the document no longer contains, so the document must be complete, with the settings of
    // the whole API (`api-body/body.ts`).
    mode: RestApiMode.OVERWRITE,
    endpointTypes: [EndpointType.REGIONAL],
    // An import reads the type only here, and would otherwise make a resource of each description in the document.
    parameters: { endpointConfigurationTypes: EndpointType.REGIONAL, ignore: 'documentation' },
    // The role belongs to the account, not to the stage: `gateway-log-role.ts`.
    cloudWatchRole: false,
    deployOptions: {
      stageName: settings.stage,
      variables: originVariables(settings.corsOrigins),
      throttlingRateLimit: settings.throttleRate,
      // The most that API Gateway takes.
      throttlingBurstLimit: Math.min(2 * settings.throttleRate, 5_000),
      accessLogDestination: new LogGroupLogDestination(accessLogs),
      accessLogFormat: ACCESS_LOG,
    },
  });
}

/** https://docs.aws.amazon.com/apigateway/latest/api/API_PutIntegration.html#apigw-PutIntegration-request-uri */
const invocationUri = (scope: Construct, functionName: string): string =>
  // One text for each method: `formatArn` makes a list of parts, of twice the size.
  Fn.sub(
    [
      `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions`,
      `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${liveName(scope, functionName)}`,
      'invocations',
    ].join('/'),
  );

/**
 * A custom domain whose root is the stage, with TLS 1.2 and 1.3. DNS is outside of the stack: the outputs have the
 * target of the alias record. API Gateway's own address still responds, behind the same firewall
 * (`docs/decisions/0134-http.md`).
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-regional-api-custom-domain-create.html
 */
function addCustomDomain(scope: Construct, api: RestApiBase, domainName: string, certificateArn: string): void {
  const domain = new DomainName(scope, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  domain.addBasePathMapping(api, { stage: api.deploymentStage });
  const alias = { AliasTarget: domain.domainNameAliasDomainName, AliasZoneId: domain.domainNameAliasHostedZoneId };
  for (const [name, value] of Object.entries(alias))
    new CfnOutput(scope, name, { value }).overrideLogicalId(`Domain${name}`);
}

/**
 * One line per request: caller, route, outcome and times. API Gateway inserts its variables unescaped, and metric
 * filters skip a line that is not JSON. So the line contains no text of a caller, and no message that may quote one
 * (`docs/decisions/0105-request-logs.md`).
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 */
export const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    time: '$context.requestTimeEpoch',
    request_id: '$context.requestId',
    ip: '$context.identity.sourceIp',
    domain: '$context.domainName',
    method: '$context.httpMethod',
    resource: '$context.resourcePath',
    status: '$context.status',
    bytes: '$context.responseLength',
    latency: '$context.responseLatency',
    function_latency: '$context.integration.latency',
    function_status: '$context.integration.status',
    function_request_id: '$context.integration.requestId',
    authorizer_request_id: '$context.authorizer.requestId',
    authorizer_latency: '$context.authorizer.latency',
    authorizer_status: '$context.authorizer.status',
    integration_id: '$context.authorizer.integration_id',
    user_id: '$context.authorizer.user_id',
    org_id: '$context.authorizer.org_id',
    error: '$context.error.responseType',
    waf: '$context.waf.status',
  }),
);
