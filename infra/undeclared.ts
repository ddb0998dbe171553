import { Validations } from 'aws-cdk-lib';
import {
  AuthorizationType,
  ContentHandling,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
} from 'aws-cdk-lib/aws-apigateway';
import {
  GATEWAY_PROBLEMS,
  type GatewayProblem,
  gatewayProblemHeaders,
  gatewayProblemTemplate,
  methodNotAllowed,
} from '../shared/contract/gateway-problems.ts';

/**
 * Paths and methods that no contract declares. API Gateway would call both a "missing authentication token", and would try to read a
 * bearer token as an AWS signature: so every resource has an `ANY` method that answers without a function. A greedy `{proxy+}` at the root
 * takes all paths that are nowhere declared.
 */

/** 404 on this resource, whatever the method. */
export const answerNoRoute = (resource: IResource): void =>
  answerAny(resource, 404, GATEWAY_PROBLEMS.RESOURCE_NOT_FOUND);

/** 405 for every method but these, which the resource has. */
export const answerOtherMethods = (resource: IResource, allowed: readonly string[]): void =>
  answerAny(resource, 405, methodNotAllowed(allowed));

/**
 * A mock integration needs a template for the media type it is sent; others are a 415. These are what clients send to an API.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/integration-passthrough-behaviors.html
 */
const MEDIA_TYPES = [
  'application/json',
  'application/problem+json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'application/xml',
  'multipart/form-data',
  'text/plain',
  'text/html',
  'text/xml',
];

function answerAny(resource: IResource, status: number, problem: GatewayProblem): void {
  const headers = Object.entries(gatewayProblemHeaders(problem)).map(
    ([name, value]) => [`method.response.header.${name}`, value] as const,
  );
  const template = JSON.stringify({ statusCode: status });
  const integration = new MockIntegration({
    // All bodies come as bytes (`binaryMediaTypes`), which a mapping template cannot take.
    contentHandling: ContentHandling.CONVERT_TO_TEXT,
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(MEDIA_TYPES.map((type) => [type, template])),
    integrationResponses: [
      {
        statusCode: String(status),
        contentHandling: ContentHandling.CONVERT_TO_TEXT,
        responseParameters: Object.fromEntries(headers),
        responseTemplates: { 'application/json': gatewayProblemTemplate(problem) },
      },
    ],
  });
  const method = resource.addMethod('ANY', integration, {
    authorizationType: AuthorizationType.NONE,
    methodResponses: [
      {
        statusCode: String(status),
        responseParameters: Object.fromEntries(headers.map(([name]) => [name, true])),
      },
    ],
  });
  Validations.of(method).acknowledge({
    id: 'AwsSolutions-APIG4',
    reason: 'It only says that there is nothing here, to anybody who asks, without a function behind it.',
  });
}
