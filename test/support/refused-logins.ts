import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** A refused login is answered 200 ms after it came (`functions/auth/operations.ts`). No test of the API waits for that. */
const { setTimeout: wait } = timers;

const isOfLogin = (): boolean => new Error().stack?.includes('functions/auth/operations.ts') ?? false;

timers.setTimeout = (milliseconds, value, options) => wait(isOfLogin() ? 0 : milliseconds, value, options);
syncBuiltinESMExports();
