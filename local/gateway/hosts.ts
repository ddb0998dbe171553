import { isIPv4 } from 'node:net';
import { notHttp, wrongHost } from './failure.ts';

/** Whether a host name or address leads to this machine and nowhere else. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/** The address of a server. `host`: a name or an address, without brackets. */
export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * A name, an IPv4 address or an IPv6 address in brackets, perhaps with a port (RFC 3986 §3.2), which may be any: ports
 * are forwarded.
 */
const AUTHORITY = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d*)?$/i;

/** Without port and brackets, in lower case, without the dot at the end of an absolute name; undefined: malformed. */
const hostOf = (authority: string): string | undefined => {
  const [, address, name] = AUTHORITY.exec(authority) ?? [];
  return (address ?? name?.replace(/\.$/, ''))?.toLowerCase();
};

/**
 * Refuses a request for a host that does not lead to this machine. A web page whose name was made to lead here (DNS
 * rebinding) can call only under that name, and the browser takes this server for the page's own.
 * @param authorities those of `Host` and of the request target
 * @param allowed further names, in lower case
 * @throws GatewayFailure 400 or 403
 */
export function assertOurs(authorities: readonly string[], allowed: readonly string[]): void {
  for (const host of authorities.map(hostOf)) {
    if (host === undefined) throw notHttp('The host of the request is malformed.');
    if (!isLoopback(host) && !allowed.includes(host)) throw wrongHost();
  }
}
