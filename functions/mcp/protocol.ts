import { isObject } from '../../shared/well-formed.ts';

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http */
export const LATEST = '2026-07-28';
/** Versions that begin with `initialize`, the newest first. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
/** Prefix of the keys in `_meta`. */
export const META = 'io.modelcontextprotocol';

/** A request or a notification of JSON-RPC. */
export interface Message {
  readonly id?: string | number | undefined;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** By the problem of the body that has the message, or by what is wrong with it. */
const CODES = {
  ...{ 'malformed-request': -32_700, 'invalid-body': -32_600, method: -32_601, params: -32_602 },
  ...{ header: -32_020, version: -32_022 },
};

/** An error of a message, and not of the request that carries it. */
export class RpcError extends Error {
  readonly error: object;
  readonly status: number;

  /** @param status of HTTP; 200 where the protocol asks for no other */
  constructor(kind: keyof typeof CODES, message: string, status = 400, data?: object) {
    super(message);
    this.error = { code: CODES[kind], message, data };
    this.status = status;
  }
}

/** What an error of a message may be about. */
export const isKind = (name: string): name is keyof typeof CODES => Object.hasOwn(CODES, name);

type Headers = ReadonlyMap<string, string>;

/**
 * Whether a request is one of the latest version, each of which says so itself, or of an older client.
 * @throws RpcError where header and body contradict each other, or name a version that is not spoken here
 */
export function eraOf({ method, params = {} }: Message, headers: Headers): 'latest' | 'legacy' {
  const meta = isObject(params._meta) ? params._meta : {};
  const version = meta[`${META}/protocolVersion`];
  const header = headers.get('mcp-protocol-version');
  if (version !== undefined) requireHeader(headers, 'MCP-Protocol-Version', version);
  else if (header === undefined || LEGACY.some((each) => each === header)) return 'legacy';
  if (header !== LATEST)
    throw new RpcError('version', 'Unsupported protocol version', 400, { supported: [LATEST], requested: header });
  if (version === undefined || !isObject(meta[`${META}/clientCapabilities`]))
    throw new RpcError('params', `params._meta needs ${META}/protocolVersion and ${META}/clientCapabilities`);
  requireHeader(headers, 'Mcp-Method', method);
  if (method === 'tools/call') requireHeader(headers, 'Mcp-Name', params.name);
  return 'latest';
}

/** @throws RpcError where the header does not say what the body says */
function requireHeader(headers: Headers, name: string, value: unknown): void {
  const header = headers.get(name.toLowerCase());
  const encoded = /^=\?base64\?(.*)\?=$/.exec(header ?? '')?.[1];
  const said = encoded === undefined ? header : Buffer.from(encoded, 'base64').toString();
  if (said !== value) throw new RpcError('header', `The header ${name} is missing, or not what the body says`);
}
