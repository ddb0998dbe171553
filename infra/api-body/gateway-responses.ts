import { GATEWAY_PROBLEMS, gatewayResponse } from '#contract/gateway';

/**
 * Makes problem details of all responses that API Gateway itself makes.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-gateway-responses.html
 */
export const gatewayResponses = (corsOrigins: readonly string[]) =>
  Object.fromEntries(
    Object.entries(GATEWAY_PROBLEMS).map(([type, problem]) => {
      const { headers, template } = gatewayResponse(problem, corsOrigins);
      return [
        type,
        {
          ...(problem.status === undefined ? {} : { statusCode: String(problem.status) }),
          responseParameters: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
          ),
          responseTemplates: { 'application/json': template },
        },
      ];
    }),
  );
