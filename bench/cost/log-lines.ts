import type { LogLines } from './lines.ts';

/**
 * Bytes that CloudWatch adds to each line.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
 */
const EVENT_BYTES = 26;

export const SAMPLE_ID = '6f680a85-7d9e-4c33-9f6a-2d9f4f1c5b11';
export const SAMPLE_TIME = '2026-11-21T10:15:30.123Z';

/** Values of API Gateway's variables in the access log, of typical length. */
const GATEWAY_VALUES: readonly (readonly [variable: RegExp, value: string])[] = [
  [/requestTimeEpoch/, '1795256130123'],
  [/request_?id$/i, SAMPLE_ID],
  [/sourceIp/, '203.0.113.178'],
  [/domainName/, 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com'],
  [/httpMethod/, 'GET'],
  [/resourcePath/, '/api/v1/resources/{id}/history'],
  [/(org|integration)_id/, SAMPLE_ID],
  [/responseLength/, '12345'],
  [/latency/i, '23'],
  [/status/, '200'],
];

/** The access log's line of a request. */
export const gatewayLine = (format: string): string =>
  format.replace(
    /\$context\.([\w.]+)/g,
    (_, variable: string) => GATEWAY_VALUES.find(([pattern]) => pattern.test(variable))?.[1] ?? '-',
  );

/**
 * Lambda's own lines about a run, as in its guide.
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
export const LAMBDA_LINES: readonly string[] = [
  { type: 'platform.start', record: { requestId: SAMPLE_ID, version: '12' } },
  {
    type: 'platform.report',
    record: {
      requestId: SAMPLE_ID,
      metrics: { durationMs: 17.912, billedDurationMs: 18, memorySizeMB: 1024, maxMemoryUsedMB: 108 },
      status: 'success',
    },
  },
].map((line) => JSON.stringify({ time: SAMPLE_TIME, ...line }));

/** Bytes that CloudWatch counts for lines. */
export const lineBytes = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(line) + EVENT_BYTES, 0);

/** @param own our lines of a request, @param authorizer those of the authorizer, @param format the access log's */
export const logLines = (own: readonly string[], authorizer: readonly string[], format: string): LogLines => ({
  gateway: lineBytes([gatewayLine(format)]),
  lambda: lineBytes(LAMBDA_LINES),
  own: lineBytes(own),
  authorizer: lineBytes(authorizer),
});
