import type { Route } from '#contract';
import { contracts } from '../../../all-contracts.ts';
import { curlOf } from './curl.ts';
import { pythonOf } from './python.ts';
import { sampleRequestsOf } from './request.ts';
import { typescriptOf } from './typescript.ts';

/** Samples of requests, made from the contracts and their examples. */

export interface Sample {
  readonly language: 'curl' | 'TypeScript' | 'Python';
  readonly text: string;
}

const requests = sampleRequestsOf(contracts);
const routes = new Map<string, Route>(contracts.flatMap((contract) => Object.entries(contract.routes)));

/**
 * How to send this operation's request.
 * @throws TypeError for an operation that no contract has
 */
export function samplesOf({ operationId }: { readonly operationId: string }): readonly Sample[] {
  const request = requests.get(operationId);
  const route = routes.get(operationId);
  if (request === undefined || route === undefined) throw new TypeError(`no contract has ${operationId}`);
  return [
    { language: 'curl', text: curlOf(request) },
    { language: 'TypeScript', text: typescriptOf(operationId, route, request) },
    { language: 'Python', text: pythonOf(request) },
  ];
}
