import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublic } from '../endpoints/addresses.ts';
import { isLocal, isLocalName, type Target, type Targets } from '../endpoints/target.ts';
import type { SendError } from './ports.ts';

/** All addresses of a name; none where it has none. Ends when the signal does. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Most addresses that are tried for one call. */
const MOST_TRIED = 4;

/**
 * The addresses to connect to. The name is resolved here and nowhere else, so that what was checked is what is called.
 * One bad address among good ones refuses them all: nobody has it there by accident.
 */
export async function addressesOf(
  { host }: Target,
  { targets, resolve, signal }: { readonly targets: Targets; readonly resolve: Resolve; readonly signal: AbortSignal },
): Promise<readonly string[] | Extract<SendError, 'name-not-resolved' | 'address-refused'>> {
  // An address that was copied or made up is accepted on a developer's machine, and never called from there.
  if (targets === 'loopback' && !isLocal(host)) return 'address-refused';
  const addresses = isIP(host) === 0 ? await namedAddresses(host, resolve, signal) : [host];
  if (addresses.length === 0) return 'name-not-resolved';
  if (targets === 'public' && !addresses.every(isPublic)) return 'address-refused';
  // Lambda's own network has IPv4 alone.
  return addresses.toSorted((one, other) => isIP(one) - isIP(other)).slice(0, MOST_TRIED);
}

/** DNS is not asked for names of this machine (RFC 6761 §6.3). */
const namedAddresses = async (name: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> =>
  isLocalName(name) ? ['127.0.0.1', '::1'] : resolve(name, signal);

/**
 * Asks DNS: no file of hosts and no domain that is searched. Unlike `getaddrinfo`, it blocks no thread while a name
 * server keeps it waiting, and can be cancelled.
 */
export const resolveByDns: Resolve = async (name, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};
