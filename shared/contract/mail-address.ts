import { domainToASCII } from 'node:url';
import * as z from 'zod';
import { isVisibleThroughout, trimmed } from '../words.ts';

/** Mail addresses, international ones too (RFC 6530): `docs/decisions/0034-users-and-access.md`. */

/** In bytes of UTF-8 (RFC 5321 §4.5.3.1.3, without the angle brackets). */
export const MAX_MAIL_ADDRESS = 254;

const BEYOND_ASCII = /[^\0-\x7f]/gu;
const ASCII = /^[\0-\x7f]*$/;
/** Without the characters that end a host in a URL: `domainToASCII` would leave out what follows them. */
const DOMAIN = /^[A-Za-z0-9.\-\u{80}-\u{10ffff}]+$/u;

/**
 * The parts of an address, the domain as DNS has it: `bücher.example` is `xn--bcher-kva.example` (UTS 46). It is empty
 * where there is none.
 */
function partsOf(address: string): { readonly local: string; readonly domain: string } {
  const at = address.lastIndexOf('@');
  const [local, given] = [address.slice(0, Math.max(0, at)), address.slice(at + 1)];
  // A domain of ASCII stays: a URL would make `1.2` the address 1.0.0.2.
  if (ASCII.test(given)) return { local, domain: given };
  // The work of the conversion grows with the square of the length.
  return { local, domain: given.length <= MAX_MAIL_ADDRESS && DOMAIN.test(given) ? domainToASCII(given) : '' };
}

/**
 * Whether a text is what HTML's `<input type="email">` takes, with letters of any alphabet (RFC 6531), but none that
 * shows nothing.
 * @param address of bounded length
 */
export function isMailAddress(address: string): boolean {
  const { local, domain } = partsOf(address);
  if (!isVisibleThroughout(address)) return false;
  const isShort = [address, `${local}@${domain}`].every((form) => Buffer.byteLength(form) <= MAX_MAIL_ADDRESS);
  return isShort && z.regexes.html5Email.test(`${local.replace(BEYOND_ASCII, 'x')}@${domain}`);
}

/** One text for all spellings of an address: in whatever case, and with its domain in either form. */
export function sameMailAddress(address: string): string {
  const { local, domain } = partsOf(trimmed(address));
  // The final sigma would depend on what follows it.
  return `${local}@${domain}`.normalize('NFC').toLowerCase().normalize('NFC').replaceAll('ς', 'σ');
}

/**
 * Whether a text is a mail address of one of these domains, in whatever case and form.
 * @param address of bounded length
 */
export function isMailAddressOf(address: string, domains: readonly string[]): boolean {
  const domainOf = (text: string): string => partsOf(sameMailAddress(text)).domain;
  return isMailAddress(address) && domains.some((domain) => domainOf(`x@${domain}`) === domainOf(address));
}
