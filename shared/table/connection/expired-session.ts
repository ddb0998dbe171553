/** The part of an AWS SDK client that this needs, whatever its service. */
interface Client<Send> {
  readonly middlewareStack: {
    add(middleware: (next: Send) => Send, options: { readonly step: 'initialize'; readonly name: string }): void;
  };
  readonly config: { credentials(options: { readonly forceRefresh: boolean }): Promise<unknown> };
}

/** Makes a client retry a request once in a new session where AWS reports its session as expired. */
export function renewExpired<Request, Response>(client: Client<(request: Request) => Promise<Response>>): void {
  client.middlewareStack.add(
    (next) => async (request) => {
      try {
        return await next(request);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ExpiredTokenException')) throw error;
        await client.config.credentials({ forceRefresh: true });
        return next(request);
      }
    },
    { step: 'initialize', name: 'renewExpired' },
  );
}
