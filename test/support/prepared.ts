import { beforeAll } from 'vitest';

/**
 * What a test file prepares before its tests, for its hooks and tests:
 *
 *     const org = prepared(() => api.orgToken());
 */
export function prepared<T extends object>(prepare: () => Promise<T> | T): T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await prepare();
  });
  const value = (): T => {
    if (made === undefined) throw new Error('It is prepared before the tests: use it in hooks and tests only.');
    return made;
  };
  return new Proxy({} as T, {
    get: (_, name) => {
      const found: unknown = Reflect.get(value(), name, value());
      return typeof found === 'function' ? found.bind(value()) : found;
    },
    // For `{ ...org }`.
    ownKeys: () => Reflect.ownKeys(value()),
    getOwnPropertyDescriptor: (_, name) => Object.getOwnPropertyDescriptor({ ...value() }, name),
  });
}
