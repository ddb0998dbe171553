import { BlockList, isIP } from 'node:net';

/**
 * Which addresses of callers' choice the service may call, so that nobody makes it call into networks that only it can
 * reach (server-side request forgery; OWASP API7, `docs/decisions/0201`). What can be seen of a URL is checked here,
 * when it is set and again before each call; what its name resolves to, in `request.ts`.
 */

/**
 * `loopback` is for local development: addresses of this machine are accepted too, also by http, and are the only ones
 * that are called.
 */
export type Targets = 'public' | 'loopback';

/** The targets of this process: public ones, unless it has `EVENT_TARGETS=loopback`, which no stage sets. */
export const environmentTargets = (): Targets => (process.env.EVENT_TARGETS === 'loopback' ? 'loopback' : 'public');

/** A URL that may be called, apart from what its name resolves to. */
export interface Target {
  readonly url: URL;
  /** A name, or an IP address without brackets. */
  readonly host: string;
}

const MAX_LENGTH = 2_048;
/** The parser would drop white space and control characters, and take `\` for `/`: what is stored is what is called. */
const UNREADABLE = /[^\x21-\x7e]|\\/;

/**
 * Why a URL may not be called, as the end of a sentence about it (`must be …`); undefined where they may.
 * Pure: it resolves no name.
 */
export function refusalOf(text: string, targets: Targets): string | undefined {
  const target = targetOf(text, targets);
  return typeof target === 'string' ? target : undefined;
}

/** The target that a URL names, or why it may not be called. */
export function targetOf(text: string, targets: Targets): Target | string {
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  const url = UNREADABLE.test(text) ? null : URL.parse(text);
  if (url === null || !/^https?:\/\/[^/]/i.test(text)) return NO_URL;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const atHome = targets === 'loopback' && isLocal(host);
  if (url.protocol !== 'https:' && !atHome) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password';
  if (url.href.includes('#')) return 'must have no fragment';
  if (url.port === '0') return 'must have another port than 0';
  if (!atHome && !mayBePublic(host)) return 'must be a public address: a name with a dot, or a public IP address';
  return { url, host };
}

const NO_URL = 'must be a URL that begins with https://, in printable ASCII characters';

/** Whether a host is this machine by its form. All names under `localhost` are (RFC 6761 §6.3). */
export const isLocal = (host: string): boolean => isLocalName(host) || isLoopback(host);

export const isLocalName = (host: string): boolean => /(^|\.)localhost$/.test(host);

/**
 * The parser has turned every way to write an IPv4 address (octal, hexadecimal, short, percent-encoded) into the usual
 * one, so what is no address is a name. Names without a dot, or with one at the end, are completed or resolved in
 * their own way by some resolvers.
 */
function mayBePublic(host: string): boolean {
  if (isIP(host) !== 0) return isPublic(host);
  return !isLocalName(host) && /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(host);
}

/**
 * The special-purpose blocks of IPv4 (IANA's registries; RFC 6890), which lead into networks that callers must not
 * reach through the service; everything else is public.
 */
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

/**
 * Whether a text is an address of this machine's loopback interface, in its own form: none of IPv4 mapped into IPv6.
 */
export function isLoopback(address: string): boolean {
  if (isIP(address) === 4) return loopbackIpv4.check(address);
  return isIP(address) === 6 && loopbackIpv6.check(address, 'ipv6');
}
