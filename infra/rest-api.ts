import { Size, Stack, Validations } from 'aws-cdk-lib';
import {
  EndpointType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  Resource,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Auth, Contract } from '../shared/contract/route.ts';
import { COMPRESSED_FROM } from '../shared/contract/sizes.ts';
import { methodsOf } from '../shared/contract/traits.ts';
import { ACCESS_LOG } from './access-log.ts';
import { Authorizers } from './authorizers.ts';
import { CustomDomain } from './custom-domain.ts';
import type { Functions } from './functions.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { logGroup } from './logs.ts';
import { AUTHORIZER } from './rights.ts';
import type { Settings } from './settings.ts';
import { answerUndeclared } from './undeclared.ts';

interface ApiProps {
  readonly contracts: readonly Contract[];
  readonly functions: Functions;
  readonly settings: Settings;
}

/** Why the gateway lets such routes through without an authorizer. */
const OPEN: Readonly<Partial<Record<Auth, string>>> = {
  none: 'Public by its contract: the login itself, the OpenAPI document, the documentation and the keys of tokens.',
  signature: 'The function checks the signature of the body, which no authorizer sees.',
};

/** Name of the contract whose function serves the OpenAPI document. */
const OPENAPI = 'openapi';

/** The REST API: a resource for every path of the contracts, a method for every route, and an answer for everything else. */
export class Api extends Construct {
  readonly rest: RestApi;
  readonly accessLogs: LogGroup;
  /** Where callers find the paths of the contracts. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, { contracts, functions, settings }: ApiProps) {
    super(scope, id);
    this.accessLogs = logGroup(this, 'AccessLogs', settings);
    this.rest = restApi(this, this.accessLogs, settings);
    this.#accept(settings);
    addGatewayResponses(this.rest, settings);
    const authorizers = new Authorizers(this, 'Authorizers', functions.named(AUTHORIZER).alias, settings);
    this.#addRoutes(contracts, functions, authorizers);
    this.#answerTheRest(contracts, settings);
    this.baseUrl = this.#address(settings);
    // Its document names the address that serves it.
    functions.byName.get(OPENAPI)?.lambda.addEnvironment('API_BASE_URL', this.baseUrl);
  }

  /** What cdk-nag would have otherwise. */
  #accept({ tracing }: Settings): void {
    Validations.of(this.rest).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason:
          'Functions validate requests by the contracts, and name every finding with its pointer; the gateway’s models name none.',
      },
      {
        id: 'AwsSolutions-COG4',
        reason:
          'Callers are integrations of other systems, not people: they have tokens of this service, which its own authorizer checks.',
      },
    );
    Validations.of(this.rest.deploymentStage).acknowledge({
      id: 'AwsSolutions-APIG6',
      reason:
        'The access log has every request with its error. Execution logs have headers, among them tokens, in a group that no retention reaches.',
    });
    if (tracing) return;
    Validations.of(this.rest.deploymentStage).acknowledge({
      id: 'Serverless-APIGWXrayEnabled',
      reason: 'Tracing costs by the request, so a stage decides: the setting `tracing`.',
    });
  }

  #address({ stage, domainName, certificateArn }: Settings): string {
    if (domainName === undefined || certificateArn === undefined) {
      const { region, urlSuffix } = Stack.of(this);
      return `https://${this.rest.restApiId}.execute-api.${region}.${urlSuffix}/${stage}`;
    }
    new CustomDomain(this, 'CustomDomain', { api: this.rest, domainName, certificateArn });
    return `https://${domainName}`;
  }

  #addRoutes(contracts: readonly Contract[], functions: Functions, authorizers: Authorizers): void {
    for (const { name, routes } of contracts) {
      // One permission for the whole API: one per method would pass the 20 KB that an alias's policy may have.
      const integration = new LambdaIntegration(functions.named(name).alias, { scopePermissionToMethod: false });
      for (const route of Object.values(routes)) {
        const { path, auth } = route;
        const resource = this.rest.root.resourceForPath(path);
        const reason = OPEN[auth];
        for (const method of methodsOf(route)) {
          const added = resource.addMethod(method, integration, authorizers.optionsFor(auth));
          if (reason !== undefined) Validations.of(added).acknowledge({ id: 'AwsSolutions-APIG4', reason });
        }
      }
    }
  }

  #answerTheRest(contracts: readonly Contract[], { corsOrigins }: Settings): void {
    const { root } = this.rest;
    const byPath = Map.groupBy(
      contracts.flatMap(({ routes }) => Object.values(routes)),
      ({ path }) => path,
    );
    const resources: IResource[] = [root, ...this.rest.node.findAll().filter((child) => child instanceof Resource)];
    for (const resource of [...resources, root.addResource('{proxy+}')])
      answerUndeclared(resource, byPath.get(resource.path) ?? [], corsOrigins);
  }
}

function restApi(scope: Construct, accessLogs: LogGroup, settings: Settings): RestApi {
  return new RestApi(scope, 'RestApi', {
    restApiName: Stack.of(scope).stackName,
    endpointTypes: [EndpointType.REGIONAL],
    // Every body reaches its function byte for byte, as a webhook's HMAC needs: otherwise the gateway decodes it as UTF-8.
    binaryMediaTypes: ['*/*'],
    minCompressionSize: Size.bytes(COMPRESSED_FROM),
    // The account's, not the stage's: `gateway-log-role.ts`.
    cloudWatchRole: false,
    deployOptions: {
      stageName: settings.stage,
      throttlingRateLimit: settings.throttleRate,
      throttlingBurstLimit: settings.throttleBurst,
      accessLogDestination: new LogGroupLogDestination(accessLogs),
      accessLogFormat: ACCESS_LOG,
      tracingEnabled: settings.tracing,
    },
  });
}
