import { afterAll, beforeAll } from 'vitest';
import { type Api, type ApiOptions, startApi } from './api.ts';

/** The API of a test file, which is started before all that the file prepares and closed after it. */
export function useApi(options: ApiOptions = {}): Api {
  let api: Api | undefined;
  beforeAll(async () => {
    api = await startApi(options);
  });
  afterAll(() => api?.close());
  const started = (): Api => {
    if (api === undefined) throw new Error('The API starts before the tests: use it in hooks and tests only.');
    return api;
  };
  return {
    get url() {
      return started().url;
    },
    get table() {
      return started().table;
    },
    request: (...request) => started().request(...request),
    platformToken: () => started().platformToken(),
    orgToken: (name) => started().orgToken(name),
    login: (appCode, secret) => started().login(appCode, secret),
    close: () => started().close(),
  };
}
