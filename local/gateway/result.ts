import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod';
import { GATEWAY_PROBLEMS } from '#contract';
import { badGateway, failureOf } from './failure.ts';
import type { Pair, Reply } from './reply.ts';

/**
 * Reads the response of a function through a proxy integration:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 *
 * Where that page leaves something open, this follows what others have recorded from AWS (`docs/local-gateway.md`).
 */

/** A number is refused. */
const headerValue = z.union([z.string(), z.boolean()]);

const resultSchema = z.strictObject({
  statusCode: z.coerce.number().int().min(200).max(599).default(200),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

type Result = z.output<typeof resultSchema>;

/**
 * The reply that a function's result asks for.
 * @throws GatewayFailure 502 when the result is malformed, 500 when its body is not the base64 that it says
 */
export function replyOf(response: unknown): Reply {
  const parsed = resultSchema.safeParse(response);
  if (!parsed.success) throw badGateway(new Error(`malformed Lambda proxy response: ${z.prettifyError(parsed.error)}`));
  return { status: parsed.data.statusCode, headers: headersOf(parsed.data), body: bodyOf(parsed.data) };
}

/** All media types are binary, so base64 is always decoded; a body that is not base64 is sent as it is. */
function bodyOf({ body, isBase64Encoded }: Result): Buffer {
  if (!isBase64Encoded) return Buffer.from(body ?? '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(body ?? ''))
    throw failureOf(GATEWAY_PROBLEMS.DEFAULT_5XX, new Error('the body is no base64'));
  return Buffer.from(body ?? '', 'base64');
}

/**
 * API Gateway sets these itself, and renames those of a function. It also renames `WWW-Authenticate`, which is kept
 * here.
 */
const REMAPPED: ReadonlySet<string> = new Set(['connection', 'content-length', 'date', 'server']);

/**
 * Headers of both kinds in one list. Where both have a name, in any case, the spelling is that of `multiValueHeaders`,
 * whose values come first.
 */
function headersOf({ headers, multiValueHeaders }: Result): Pair[] {
  const multiple = Object.entries(multiValueHeaders ?? {}).flatMap(([name, values]) =>
    values.map((value): Pair => [name, String(value)]),
  );
  const single = Object.entries(headers ?? {}).map(([name, value]): Pair => {
    const spelled = multiple.find(([other]) => isSameName(other, name))?.[0];
    return [spelled ?? name, String(value)];
  });
  const isRepeated = ([name, value]: Pair): boolean =>
    multiple.some(([other, same]) => other === name && same === value);
  const all = [...multiple, ...single.filter((pair) => !isRepeated(pair))]
    .filter(([name]) => !isSameName(name, 'transfer-encoding'))
    .map(([name, value]): Pair => [REMAPPED.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name, value]);
  assertSendable(all);
  const isTyped = all.some(([name]) => isSameName(name, 'content-type'));
  return isTyped ? all : [...all, ['Content-Type', 'application/json']];
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

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
