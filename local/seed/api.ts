import { setTimeout as sleep } from 'node:timers/promises';

/** The records cannot be made; the message is one sentence. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

export type FieldValues = Readonly<Record<string, unknown>>;

/** A record in the response to its creation. */
export type Created = FieldValues & { readonly id: string };

export interface SeedApiOptions {
  /** Without a path: `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Waits so many seconds. Default: by a timer. */
  readonly wait?: (seconds: number) => Promise<unknown>;
}

/** Calls the API over HTTP, as a caller of an organization. */
export class SeedApi {
  /** Requests that succeeded. */
  requests = 0;
  /** How often a request had to wait for its budget. */
  waits = 0;
  token = '';
  readonly #url: string;
  readonly #wait: (seconds: number) => Promise<unknown>;

  constructor({ url, wait = (seconds) => sleep(seconds * 1_000) }: SeedApiOptions) {
    this.#url = url;
    this.#wait = wait;
  }

  /**
   * Creates a record, or does whatever else the path does. Waits where the caller's budget has no room for it.
   * @throws SeedError
   */
  post(path: string, fields: FieldValues): Promise<Created> {
    return this.#call('POST', path, JSON.stringify(fields));
  }

  /** Deletes a record. @throws SeedError */
  async delete(path: string): Promise<void> {
    await this.#call('DELETE', path);
  }

  async #call(method: string, path: string, body?: string): Promise<Created> {
    for (;;) {
      const response = await this.#send(method, path, body);
      const reply = (await response.json().catch(() => ({}))) as Created & { title?: string; detail?: string };
      if (response.ok) {
        this.requests += 1;
        return reply;
      }
      if (response.status !== 429) throw new SeedError(refusal(`${method} ${path}`, response.status, reply));
      this.waits += 1;
      await this.#wait(Math.max(1, Number(response.headers.get('retry-after')) || 1));
    }
  }

  async #send(method: string, path: string, body = ''): Promise<Response> {
    const authorization = this.token === '' ? {} : { authorization: `Bearer ${this.token}` };
    try {
      return await fetch(`${this.#url}/api/v1${path}`, {
        method,
        headers: { ...authorization, ...(body !== '' && { 'content-type': 'application/json' }) },
        ...(body !== '' && { body }),
      });
    } catch (cause) {
      throw new SeedError(`No API answers at ${this.#url}: run npm start first, or name its address with --url.`, {
        cause,
      });
    }
  }
}

const refusal = (call: string, status: number, { title, detail, errors }: FieldValues): string =>
  `${call} was answered with ${status}: ${[title, detail, errors && JSON.stringify(errors)].filter(Boolean).join('; ')}.`;
