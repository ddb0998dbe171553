import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { AuthorizerContext } from '../../shared/identity/caller.ts';

/** What the authorizer answers: https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html */

/**
 * Lets the caller through to every route of the stage. The gateway keeps the answer by token and uses it for all routes, so a policy
 * for the one that was called would refuse the next; what the caller may do there, the handler decides.
 */
export const allowStage = (methodArn: string, principalId: string, context: AuthorizerContext) => ({
  ...allow(wholeStage(methodArn), principalId),
  context: { ...context },
});

/** Lets an anonymous caller through to the one method that was called. */
export const allowAnonymous = (methodArn: string): APIGatewayAuthorizerResult => allow(methodArn, 'anonymous');

const allow = (resource: string, principalId: string): APIGatewayAuthorizerResult => ({
  principalId,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: resource }],
  },
});

/** `arn:aws:execute-api:<region>:<account>:<api>/<stage>/<method>/<path>` up to the stage. */
const wholeStage = (methodArn: string): string => `${methodArn.split('/', 2).join('/')}/*/*`;
