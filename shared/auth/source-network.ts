import { isIPv6 } from 'node:net';

/**
 * The network that a request came from: an IPv4 address, or the /64 of an IPv6 address. One subscriber has at least a /64 (RFC 6177 §2) and
 * could use a new address for every login attempt.
 */
export function sourceNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}

/** The eight groups of an IPv6 address, each without leading zeros. The end may be written as an IPv4 address (RFC 4291 §2.2). */
function groupsOf(address: string): string[] {
  const [withoutZone = ''] = address.split('%');
  const [front = [], back] = withoutZone.split('::').map((half) => half.split(':').flatMap(groupOf));
  if (back === undefined) return front;
  return [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back];
}

const groupOf = (text: string): string[] => {
  if (text === '') return [];
  return text.includes('.') ? ['v4', 'v4'] : [Number.parseInt(text, 16).toString(16)];
};
