import { afterAll } from 'vitest';
import { type Api, type ApiOptions, startApi } from './api.ts';
import { prepared } from './prepared.ts';

/** The API of a test file, which starts before the file's preparations and is closed after it. */
export function useApi(options: ApiOptions = {}): Api {
  const api = prepared(() => startApi(options));
  afterAll(() => api.close());
  return api;
}
