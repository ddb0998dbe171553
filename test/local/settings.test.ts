import { expect, it } from 'vitest';
import { setFunctionEnvironment } from '../../local/environment.ts';
import { addressOf, readSettings } from '../../local/settings.ts';

/** The settings of `npm start`. */

it('have defaults, also for empty variables', () => {
  const defaults = { port: 3000, host: '127.0.0.1', dataDir: '.data', dynamoDbEndpoint: undefined };
  expect(readSettings({})).toEqual({ ...defaults, platformSecret: undefined });
  expect(readSettings({ PORT: '', DATA_DIR: '', PLATFORM_SECRET: '', ALLOWED_HOSTS: '' })).toMatchObject(defaults);
});

it('say how many requests the functions take, more than can be sent unless they are set', () => {
  const environment = { tableName: 't', endpoint: 'http://127.0.0.1:1', keyFile: 'k', firstKey: true };
  const limits = (variables: Record<string, string>) => {
    const { rateLimit } = readSettings(variables);
    setFunctionEnvironment({ ...environment, rateLimit });
    return [process.env.RATE_LIMIT, process.env.TENANT_RATE_LIMIT];
  };
  expect(limits({ RATE_LIMIT: '20' })).toEqual(['20', '']);
  expect(limits({})).toEqual(['1000000', '']);
});

it('throttle nothing unless a rate is set, take twice the rate at once, and name hosts', () => {
  const read = (THROTTLE_RATE: string) => readSettings({ THROTTLE_RATE }).throttling;
  expect([read(''), read('5')]).toEqual([undefined, { rate: 5, burst: 10 }]);
  expect(readSettings({ ALLOWED_HOSTS: 'API.test,b' }).allowedHosts).toEqual(['api.test', 'b']);
});

it('say where other commands find the API, but for a port that any may be', () => {
  expect([addressOf({}), addressOf({ PORT: '4000', HOST: '::1' })]).toEqual([
    'http://127.0.0.1:3000',
    'http://[::1]:4000',
  ]);
  expect(() => addressOf({ PORT: '0' })).toThrow(/pass --url/);
});

it.each([
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '3e3'],
  ['HOST', '0.0.0.0'],
  ['HOST', 'example.org'],
  ['HOST', '127.0.0.1.example.org'],
  ['ALLOWED_HOSTS', 'a.test:3000'],
  ['ALLOWED_HOSTS', '*'],
  ['DYNAMODB_ENDPOINT', '127.0.0.1:8000'],
  ['DYNAMODB_ENDPOINT', 'file:///tmp'],
  ['RATE_LIMIT', '0'],
  ['RATE_LIMIT', '1e3'],
  ['THROTTLE_RATE', '0'],
  ['THROTTLE_RATE', '0.5'],
  ['PLATFORM_SECRET', 'x'.repeat(31)],
  ['PLATFORM_SECRET', `täglich-${'x'.repeat(31)}`],
])('refuse %s=%s in one sentence', (name, value) => {
  expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must .*\\.$`));
});
