import { count } from './invocation.ts';
import type { Counter } from './metrics.ts';

/** What this needs of a client of the AWS SDK, whichever its service. */
interface Client<Send> {
  readonly middlewareStack: {
    add(middleware: (next: Send) => Send, options: { readonly step: 'initialize'; readonly name: string }): void;
  };
}

/** Counts the calls of a client. A call that the SDK tries several times is one. */
export function countCalls<Request, Response>(
  client: Client<(request: Request) => Promise<Response>>,
  counter: Counter,
): void {
  client.middlewareStack.add(
    (next) => (request) => {
      count(counter);
      return next(request);
    },
    { step: 'initialize', name: 'countCalls' },
  );
}
