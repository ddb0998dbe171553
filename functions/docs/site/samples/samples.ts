import { CURL_SETUP, curlOf } from './curl.ts';
import { PYTHON_SETUP, pythonOf } from './python.ts';
import { requestOf } from './request.ts';
import { TYPESCRIPT_SETUP, typescriptOf } from './typescript.ts';

/** Samples of requests, made from the contracts and their examples. */

export interface Sample {
  readonly language: 'curl' | 'TypeScript' | 'Python';
  readonly text: string;
}

/**
 * What all samples use, before the login. The others use what the login leaves, and variables for ids of records:
 * `$CLIENT_ID`, `clientId`, `client_id`.
 */
export const SETUP: readonly Sample[] = [
  { language: 'curl', text: CURL_SETUP },
  { language: 'TypeScript', text: TYPESCRIPT_SETUP },
  { language: 'Python', text: PYTHON_SETUP },
];

/** How to send this operation's request. @throws TypeError for an operation that no contract has */
export function samplesOf({ id }: { readonly id: string }): readonly Sample[] {
  const request = requestOf(id);
  return [
    { language: 'curl', text: curlOf(request) },
    { language: 'TypeScript', text: typescriptOf(request) },
    { language: 'Python', text: pythonOf(request) },
  ];
}
