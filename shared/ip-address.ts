import { isIPv4, isIPv6, SocketAddress } from 'node:net';

const MAPPED = '::ffff:';

/**
 * The one spelling of an IP address (RFC 5952), and of an IPv4 address that is mapped into IPv6 that of IPv4; undefined
 * for any other text.
 * @param text also with capitals and zeros: `2001:DB8:0:0:0:0:0:1` is `2001:db8::1`, and `::ffff:c000:20a` is
 *   `192.0.2.10`
 */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  // A zone is of one machine, and no part of an address.
  if (!text.includes(':') || text.includes('%') || !isIPv6(text)) return undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const inner = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  return isIPv4(inner) ? inner : address;
}
