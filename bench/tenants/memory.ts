import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { tenantSessions } from '../../shared/table/storage.ts';
import { callOf, emptyContainer, newTenants, startContainer } from './container.ts';

const { KEPT_SESSIONS, KEPT_TENANTS } = tenantSessions;

/** Bytes that a container keeps. */
export interface Memory {
  /** For each session, with a token of a thousand characters. */
  readonly session: number;
  /** For each client. */
  readonly client: number;
  /** For all that a container may keep. */
  readonly full: number;
}

export async function measureMemory(): Promise<Memory> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = async (): Promise<number> => {
    // What a client was referred to by goes in the first, the client in the second.
    for (let times = 0; times < 3; times++) {
      collect();
      await nextTurn();
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const stop = await startContainer();
  try {
    // What is loaded and compiled on first use is no part of it.
    for (const tenant of newTenants(2 * KEPT_TENANTS)) await callOf(tenant);
    emptyContainer();
    const empty = await used();
    for (const tenant of newTenants(KEPT_TENANTS)) await callOf(tenant);
    const clients = await used();
    for (const tenant of newTenants(KEPT_SESSIONS - KEPT_TENANTS)) await callOf(tenant);
    const full = await used();
    const session = (full - clients) / (KEPT_SESSIONS - KEPT_TENANTS);
    return { session, client: (clients - empty) / KEPT_TENANTS - session, full: full - empty };
  } finally {
    stop();
  }
}
