import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** A refused login is answered 200 ms after it came. No test of the API waits for that; all else that waits does. */
const { setTimeout: wait } = timers;

timers.setTimeout = (milliseconds, value, options) => {
  const [, , caller = ''] = (new Error().stack ?? '').split('\n');
  return wait(caller.includes('functions/auth/operations.ts') ? 0 : milliseconds, value, options);
};
syncBuiltinESMExports();
