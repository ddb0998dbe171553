import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

/**
 * One line per request: who, what, how it ended, and where the time went. Neither query nor headers, which may hold secrets.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 */
export const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    time: '$context.requestTimeEpoch',
    request_id: '$context.requestId',
    ip: '$context.identity.sourceIp',
    user_agent: '$context.identity.userAgent',
    method: '$context.httpMethod',
    path: '$context.path',
    resource: '$context.resourcePath',
    status: '$context.status',
    bytes: '$context.responseLength',
    latency: '$context.responseLatency',
    function_latency: '$context.integration.latency',
    function_request_id: '$context.integration.requestId',
    authorizer_latency: '$context.authorizer.latency',
    integration_id: '$context.authorizer.integration_id',
    org_id: '$context.authorizer.org_id',
    error: '$context.error.responseType',
    error_message: '$context.error.message',
    function_error: '$context.integration.error',
    waf: '$context.waf.status',
  }),
);
