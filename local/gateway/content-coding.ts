import { promisify } from 'node:util';
import { deflate, gunzip, gzip, inflate } from 'node:zlib';
import { COMPRESSED_FROM } from '#contract';
import { failure } from './failure.ts';
import type { Pair, Reply } from './reply.ts';

/**
 * Content codings as API Gateway handles them: it decodes request bodies, and encodes response bodies from a size on.
 * `docs/local-gateway.md` describes what AWS's pages leave open.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gzip-compression-decompression.html
 */

/** `deflate` is the zlib format (RFC 9110 §8.4.1.2). */
const CODINGS = {
  gzip: { decode: promisify(gunzip), encode: promisify(gzip) },
  deflate: { decode: promisify(inflate), encode: promisify(deflate) },
} as const;

type Coding = keyof typeof CODINGS;

const isCoding = (name: string): name is Coding => Object.hasOwn(CODINGS, name);

/** The values of a header, in lower case; none where it was not sent. */
const valuesOf = (headers: readonly Pair[], name: string): string[] =>
  headers
    .filter(([sent]) => sent.toLowerCase() === name)
    .flatMap(([, values]) => values.split(','))
    .map((value) => value.trim().toLowerCase())
    .filter((value) => value !== '');

/**
 * The body of a request without its content coding. The header stays.
 * @param maxBytes largest decoded body; decoding stops there
 * @throws GatewayFailure 415 for an unknown coding and for a body that does not have the named one, 413 for a body that
 *   is too large
 */
export async function decodedBody(body: Buffer, headers: readonly Pair[], maxBytes: number): Promise<Buffer> {
  const [coding = 'identity', ...others] = valuesOf(headers, 'content-encoding');
  if (body.length === 0) return body;
  if (others.length > 0) throw failure('UNSUPPORTED_MEDIA_TYPE');
  if (coding === 'identity') return body;
  if (!isCoding(coding)) throw failure('UNSUPPORTED_MEDIA_TYPE');
  try {
    return await CODINGS[coding].decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw failure(isTooLarge ? 'REQUEST_TOO_LARGE' : 'UNSUPPORTED_MEDIA_TYPE', error);
  }
}

/** Encodes a function's reply as the caller accepts it, if it is long enough and the function has not encoded it. */
export async function codedReply(reply: Reply, requestHeaders: readonly Pair[]): Promise<Reply> {
  const coding = preferredCoding(valuesOf(requestHeaders, 'accept-encoding'));
  const isCoded = reply.headers.some(([name]) => name.toLowerCase() === 'content-encoding');
  if (coding === undefined || isCoded || reply.body.length < COMPRESSED_FROM) return reply;
  const body = await CODINGS[coding].encode(reply.body);
  return { ...reply, headers: [...reply.headers, ['Content-Encoding', coding]], body };
}

/**
 * The coding with the highest weight, the first of several, as far as API Gateway knows it. Undefined where that is
 * `identity`, where only unknown ones have that weight, and for `*`, which is not explicit.
 */
function preferredCoding(accepted: readonly string[]): Coding | undefined {
  const weighed = accepted.map((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length);
    return { name, weight: weight === undefined ? 1 : Number(weight) };
  });
  const highest = Math.max(...weighed.map(({ weight }) => weight).filter((weight) => weight > 0));
  const preferred = weighed.find(
    ({ name, weight }) => weight === highest && (isCoding(name) || name === 'identity'),
  )?.name;
  return preferred !== undefined && isCoding(preferred) ? preferred : undefined;
}
