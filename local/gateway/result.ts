import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod';
import { badGateway } from './failure.ts';
import type { Pair } from './incoming.ts';
import type { Reply } from './reply.ts';

/**
 * Reads what a function answered through a proxy integration:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 *
 * One difference is left on purpose: API Gateway renames a function's `WWW-Authenticate` to
 * `x-amzn-Remapped-WWW-Authenticate`, and here it keeps its name.
 */

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const resultSchema = z.strictObject({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), scalar).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(scalar)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

type Result = z.output<typeof resultSchema>;

/**
 * The reply that a function's result asks for.
 * @throws GatewayFailure 502 when the result is malformed
 */
export function replyOf(answer: unknown): Reply {
  const parsed = resultSchema.safeParse(answer);
  if (!parsed.success) throw badGateway(new Error(`malformed Lambda proxy response: ${z.prettifyError(parsed.error)}`));
  const { statusCode, body, isBase64Encoded } = parsed.data;
  return {
    status: statusCode,
    headers: headersOf(parsed.data),
    // With all media types binary, base64 is decoded whatever the caller accepts; a body that is none is sent as it is.
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** The gateway sees to these by itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['connection', 'content-length', 'date', 'transfer-encoding']);

function headersOf({ headers, multiValueHeaders, statusCode }: Result): Pair[] {
  const multiple = Object.entries(multiValueHeaders ?? {}).flatMap(([name, values]) =>
    values.map((value): Pair => [name, String(value)]),
  );
  const single = Object.entries(headers ?? {})
    .map(([name, value]): Pair => [name, String(value)])
    .filter(([name, value]) => !multiple.some(([other, same]) => other === name && same === value));
  const all = [...single, ...multiple].filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  assertSendable(all);
  const typed = statusCode === 204 || statusCode === 304 || all.some(([name]) => name.toLowerCase() === 'content-type');
  return typed ? all : [...all, ['Content-Type', 'application/json']];
}

function assertSendable(headers: readonly Pair[]): void {
  try {
    for (const [name, value] of headers) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
  } catch (error) {
    throw badGateway(error);
  }
}
