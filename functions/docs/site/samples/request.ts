import type { Contract } from '#contract';
import { type ExampleRequest, exampleRequestsOf } from '#openapi';

/** The requests that samples send: those of the collections, with the values of the examples as they are. */

export interface SampleRequest extends Pick<ExampleRequest, 'operationId' | 'method' | 'path' | 'auth' | 'leaves'> {
  /** Takes an `Idempotency-Key`. */
  readonly isIdempotent: boolean;
  /** Texts such as `{{client_id}}` stand for variables. */
  readonly body: unknown;
}

/** By operation id, in an order in which they can be sent one after the other. */
export const sampleRequestsOf = (contracts: readonly Contract[]): ReadonlyMap<string, SampleRequest> =>
  new Map(
    exampleRequestsOf(contracts)
      // Without second calls of an operation.
      .filter(({ id, operationId }) => id === operationId)
      .map((request) => [request.operationId, sampleRequest(request)]),
  );

const sampleRequest = ({ headers, path, body, ...request }: ExampleRequest): SampleRequest => ({
  ...request,
  path: path.replace(/\?.*/, ''),
  isIdempotent: 'Idempotency-Key' in headers,
  body: body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll('n{{$timestamp}}-', '')),
});

/** What a text consists of: `/clients/{{client_id}}` is a text and a variable. */
export const partsOf = (text: string): readonly ({ readonly text: string } | { readonly variable: string })[] =>
  text
    .split(/(\{\{\w+\}\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\{\w+\}\}$/.test(part) ? { variable: part.slice(2, -2) } : { text: part }));

/** `client_id` is `clientId`. */
export const inCamelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The members of an object that are set. */
export const set = <T>(members: Readonly<Record<string, T | undefined>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, T] => member[1] !== undefined));
