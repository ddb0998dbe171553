import { BlockList, isIP } from 'node:net';

/**
 * Which IP addresses are public: those that any host of the internet may have. All others lead into networks that
 * callers must not reach through the service (IANA special-purpose address registries; RFC 6890).
 */

/** The special-purpose blocks of IPv4; everything else is public. */
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, with the metadata of AWS
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/**
 * The one block of IPv6 with public addresses. Outside of it are loopback, IPv4 in other forms (mapped, compatible,
 * NAT64), unique local addresses with the metadata of AWS, link-local ones and multicast.
 */
const GLOBAL_IPV6 = ['2000::', 3] as const;

/** The special-purpose blocks within {@link GLOBAL_IPV6}. */
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments, with Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
];

type Family = 'ipv4' | 'ipv6';

/** A list has one family: rules of IPv6 for mapped addresses would match all of IPv4. */
function listOf(family: Family, blocks: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of blocks) list.addSubnet(network, prefix, family);
  return list;
}

const specialIpv4 = listOf('ipv4', SPECIAL_IPV4);
const globalIpv6 = listOf('ipv6', [GLOBAL_IPV6]);
const specialIpv6 = listOf('ipv6', SPECIAL_IPV6);
const loopbackIpv4 = listOf('ipv4', [['127.0.0.0', 8]]);
const loopbackIpv6 = listOf('ipv6', [['::1', 128]]);

/** Whether a text is a public address; false for what is no address. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !specialIpv4.check(address);
  return isIP(address) === 6 && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** Whether a text is an address of this machine's loopback interface, in its own form: none of IPv4 mapped into IPv6. */
export function isLoopback(address: string): boolean {
  if (isIP(address) === 4) return loopbackIpv4.check(address);
  return isIP(address) === 6 && loopbackIpv6.check(address, 'ipv6');
}
