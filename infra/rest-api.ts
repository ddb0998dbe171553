import { Stack } from 'aws-cdk-lib';
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
import type { Contract } from '../shared/contract/route.ts';
import { ACCESS_LOG } from './access-log.ts';
import { Authorizers } from './authorizers.ts';
import { CustomDomain } from './custom-domain.ts';
import type { Functions } from './functions.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { logGroup } from './logs.ts';
import { AUTHORIZER } from './rights.ts';
import type { Settings } from './settings.ts';
import { answerNoRoute, answerOtherMethods } from './undeclared.ts';

interface ApiProps {
  readonly contracts: readonly Contract[];
  readonly functions: Functions;
  readonly settings: Settings;
}

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
    addGatewayResponses(this.rest);
    const authorizers = new Authorizers(this, 'Authorizers', functions.named(AUTHORIZER).lambda, settings);
    const methods = this.#addRoutes(contracts, functions, authorizers);
    this.#answerTheRest(methods);
    this.baseUrl = this.#address(settings);
    // Its document names the address that serves it.
    functions.byName.get(OPENAPI)?.lambda.addEnvironment('API_BASE_URL', this.baseUrl);
  }

  #address({ stage, domainName, certificateArn }: Settings): string {
    if (domainName === undefined || certificateArn === undefined) {
      const { region, urlSuffix } = Stack.of(this);
      return `https://${this.rest.restApiId}.execute-api.${region}.${urlSuffix}/${stage}`;
    }
    new CustomDomain(this, 'CustomDomain', { api: this.rest, domainName, certificateArn });
    return `https://${domainName}`;
  }

  /** @returns the methods of each path */
  #addRoutes(contracts: readonly Contract[], functions: Functions, authorizers: Authorizers): Map<string, string[]> {
    const methods = new Map<string, string[]>();
    for (const { name, routes } of contracts) {
      // One permission for the whole API: one per method would pass the 20 KB that a function's policy may have.
      const integration = new LambdaIntegration(functions.named(name).lambda, { scopePermissionToMethod: false });
      for (const { method, path, auth } of Object.values(routes)) {
        this.rest.root.resourceForPath(path).addMethod(method, integration, authorizers.optionsFor(auth));
        methods.set(path, [...(methods.get(path) ?? []), method]);
      }
    }
    return methods;
  }

  #answerTheRest(methods: ReadonlyMap<string, readonly string[]>): void {
    const { root } = this.rest;
    const resources: IResource[] = [root, ...this.rest.node.findAll().filter((child) => child instanceof Resource)];
    for (const resource of resources) {
      const allowed = methods.get(resource.path);
      if (allowed === undefined) answerNoRoute(resource);
      else answerOtherMethods(resource, allowed);
    }
    answerNoRoute(root.addResource('{proxy+}'));
  }
}

function restApi(scope: Construct, accessLogs: LogGroup, settings: Settings): RestApi {
  return new RestApi(scope, 'RestApi', {
    restApiName: Stack.of(scope).stackName,
    endpointTypes: [EndpointType.REGIONAL],
    // Every body reaches its function byte for byte, as a webhook's HMAC needs: otherwise the gateway decodes it as UTF-8.
    binaryMediaTypes: ['*/*'],
    // The account's, not the stage's: `gateway-log-role.ts`.
    cloudWatchRole: false,
    deployOptions: {
      stageName: settings.stage,
      throttlingRateLimit: settings.throttleRate,
      throttlingBurstLimit: settings.throttleBurst,
      accessLogDestination: new LogGroupLogDestination(accessLogs),
      accessLogFormat: ACCESS_LOG,
    },
  });
}
