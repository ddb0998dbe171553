/** The parts in use of https://github.com/mcollina/autocannon, which has no types. */
declare module 'autocannon' {
  interface Request {
    method?: string;
    path?: string;
    headers?: Readonly<Record<string, string>>;
    body?: string;
    setupRequest?: (request: Request) => Request;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** In seconds. */
    readonly duration: number;
    readonly requests: readonly Request[];
  }
  interface Result {
    /** In seconds. */
    readonly duration: number;
    readonly '2xx': number;
    readonly non2xx: number;
    readonly errors: number;
    /** In milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
