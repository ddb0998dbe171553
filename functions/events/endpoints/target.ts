import { isIP } from 'node:net';
import { isLoopback, isPublic } from './addresses.ts';

/**
 * Where events may be delivered to, so that nobody makes the service call into networks that only it can reach
 * (server-side request forgery; OWASP API7, `docs/decisions/0201`). What can be seen of a URL is checked here, when it
 * is set and again before each call; what its name resolves to, in `send.ts`.
 */

/**
 * `loopback` is for local development: addresses of this machine are accepted too, also by http, and are the only ones
 * that are called.
 */
export type Targets = 'public' | 'loopback';

/** Of this process: `EVENT_TARGETS=loopback`, which no stage sets; else public ones alone. */
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
 * Why events may not be delivered to a URL, as the end of a sentence about it (`must be …`); undefined where they may.
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
