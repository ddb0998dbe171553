import { statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** A refused login takes 200 ms. Tests of the API do not wait for that, only for other timers. */
const { setTimeout: wait } = timers;

const REFUSES = 'functions/auth/refusing-late.ts';
// Where it moves, the tests would wait again, and nobody would notice.
statSync(new URL(`../../${REFUSES}`, import.meta.url));

timers.setTimeout = (milliseconds, value, options) => {
  const [, , caller = ''] = (new Error().stack ?? '').split('\n');
  return wait(caller.includes(REFUSES) ? 0 : milliseconds, value, options);
};
syncBuiltinESMExports();
