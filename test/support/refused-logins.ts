import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** A refused login takes 200 ms. Tests of the API do not wait for that, only for other timers. */
const { setTimeout: wait } = timers;

timers.setTimeout = (milliseconds, value, options) => {
  const [, , caller = ''] = (new Error().stack ?? '').split('\n');
  return wait(caller.includes('functions/auth/operations.ts') ? 0 : milliseconds, value, options);
};
syncBuiltinESMExports();
