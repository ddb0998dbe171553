import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

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
    org_id: '$context.authorizer.org_id',
    error: '$context.error.responseType',
    waf: '$context.waf.status',
  }),
);
