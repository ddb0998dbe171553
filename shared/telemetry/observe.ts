import type { Clock } from '../clock.ts';
import { type EndedInvocation, writeAccessLine } from './access-line.ts';
import { type Annotations, Invocation, within } from './invocation.ts';
import { traceIdOf } from './trace-context.ts';

/** The parts of an API Gateway event that every line contains. */
interface Event {
  readonly httpMethod: string;
  readonly resource: string;
  readonly multiValueHeaders: Parameters<typeof traceIdOf>[0];
  readonly requestContext: { readonly requestId: string };
}

interface Observed<T> {
  readonly domain: string;
  /** Absent for work that no request asks for. */
  readonly event?: Event;
  readonly clock: Clock;
  readonly endOf: (settled: PromiseSettledResult<T>) => Pick<EndedInvocation, 'outcome' | 'status'>;
}

/** Whether this container has served nothing yet. */
let isCold = true;

/** Serves an invocation, and writes its line when it is over, whether it succeeds or not. */
export async function observe<T>({ domain, event, clock, endOf }: Observed<T>, work: () => Promise<T>): Promise<T> {
  const invocation = new Invocation(event === undefined ? {} : requestIn(event));
  if (isCold) {
    invocation.count('ColdStarts');
    if (process.env.CODE_CACHE === 'missed') invocation.annotate({ code_cache: 'missed' });
  }
  isCold = false;
  const began = clock();
  const [settled] = await within(invocation, () => Promise.allSettled([work()]));
  const at = clock();
  // The clock may be set back meanwhile.
  writeAccessLine({ invocation, domain, at, duration: Math.max(0, at - began), ...endOf(settled) });
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

const requestIn = ({ requestContext, multiValueHeaders, httpMethod, resource }: Event): Annotations => ({
  request_id: requestContext.requestId,
  trace_id: traceIdOf(multiValueHeaders),
  method: httpMethod,
  route: resource,
});
