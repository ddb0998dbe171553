import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  GATEWAY_PROBLEMS,
  gatewayProblemHeaders,
  gatewayProblemTemplate,
} from '../shared/contract/gateway-problems.ts';
import type { Settings } from './settings.ts';

/**
 * Makes problem details of all that API Gateway answers by itself.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gatewayResponse-definition.html
 */
export function addGatewayResponses(api: RestApi, { corsOrigins }: Settings): void {
  for (const [type, problem] of Object.entries(GATEWAY_PROBLEMS)) {
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      ...(problem.status === undefined ? {} : { statusCode: String(problem.status) }),
      responseHeaders: { ...gatewayProblemHeaders(problem, corsOrigins) },
      templates: { 'application/json': gatewayProblemTemplate(problem) },
    });
  }
}
