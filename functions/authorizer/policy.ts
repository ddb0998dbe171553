import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { refusalContext } from '#contract';
import type { AuthorizerContext, UserContext } from '#identity';

/**
 * The response of the authorizer:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */

/**
 * Allows every route of the stage. The gateway caches the policy by token and uses it for all routes, so a policy for
 * the called route alone would refuse the next one. Permissions are checked by the handler.
 */
export const allowStage = (methodArn: string, principalId: string, context: AuthorizerContext | UserContext) => ({
  ...allow(wholeStage(methodArn), principalId),
  context: { ...context },
});

/** Allows only the called route. */
export const allowAnonymous = (methodArn: string): APIGatewayAuthorizerResult => allow(methodArn, 'anonymous');

/** Denies every route of the stage, because the gateway also uses this policy for all of them, and gives the reason. */
export const denyStage = (
  methodArn: string,
  context: ReturnType<typeof refusalContext>,
): APIGatewayAuthorizerResult => ({
  ...policy('Deny', wholeStage(methodArn), 'refused'),
  context,
});

export const isDenied = ({ policyDocument }: APIGatewayAuthorizerResult): boolean =>
  policyDocument.Statement.some(({ Effect }) => Effect === 'Deny');

const allow = (resource: string, principalId: string) => policy('Allow', resource, principalId);

const policy = (effect: 'Allow' | 'Deny', resource: string, principalId: string): APIGatewayAuthorizerResult => ({
  principalId,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource: resource }],
  },
});

/** `arn:aws:execute-api:<region>:<account>:<api>/<stage>/<method>/<path>` up to the stage. */
const wholeStage = (methodArn: string): string => `${methodArn.split('/', 2).join('/')}/*/*`;
