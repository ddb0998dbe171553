import { CURL_SETUP } from './curl.ts';
import { samplesFor } from './generators.ts';
import { PYTHON_SETUP } from './python.ts';
import { requestOf } from './request.ts';
import type { Sample } from './text.ts';
import { TYPESCRIPT_SETUP } from './typescript.ts';

export type { Sample } from './text.ts';

/** Samples of requests, made from the contracts and their examples. */

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
export const samplesOf = ({ id }: { readonly id: string }): readonly Sample[] => samplesFor(requestOf(id));
