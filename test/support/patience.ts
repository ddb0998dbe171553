import { availableParallelism, loadavg } from 'node:os';

/** The longest wait for another process or a page, also on a busy machine. It ends tests that hang. In milliseconds. */
export const PATIENCE = 120_000;

/** By how much longer tests take, because others work on this machine too. */
const busy = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

/** The longest time of a test or a hook: 30 s on an idle machine, where the slowest takes some seconds. It ends those that hang. In milliseconds. */
export const TIMEOUT = 30_000 * busy;
