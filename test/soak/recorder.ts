import { sign } from '../../functions/webhooks/signature.ts';
import type { Fleet, Organization, Received, Sent } from './fleet.ts';

/** What the clients of a run have sent and received, in the order in which they did. */

export type Kind = 'clients' | 'services' | 'resources' | 'tickets';
export const KINDS: readonly Kind[] = ['clients', 'services', 'resources', 'tickets'];

/** The field that names a record and that the clients give a value that no other record has. */
export const markOf = (kind: Kind): 'name' | 'subject' => (kind === 'tickets' ? 'subject' : 'name');

/** What a request does. */
export type Act =
  | { readonly do: 'create'; readonly kind: Kind; readonly mark: string; readonly fields: Fields; readonly via: Via }
  | { readonly do: 'change'; readonly kind: Kind; readonly id: string; readonly fields: Fields }
  | { readonly do: 'delete'; readonly kind: Kind; readonly id: string }
  | {
      readonly do: 'list';
      readonly kind: Kind;
      readonly filter: Fields;
      readonly sort?: string;
      readonly pageSize: number;
    };

export type Fields = Readonly<Record<string, unknown>>;

/** How a record is created: plainly, under an idempotency key, or by a webhook event; both are named by the mark. */
export type Via = 'request' | 'key' | 'event';

export interface Entry extends Received {
  readonly act: Act;
  readonly server: number;
  /** Order in which requests were sent and answers came. */
  readonly invoked: number;
  readonly returned: number;
}

export class Recorder {
  readonly fleet: Fleet;
  readonly organization: Organization;
  readonly history: Entry[] = [];
  /** Requests to each server that have no answer yet. */
  readonly pending = new Map<number, number>();
  /** Is called when a request is sent and when its answer came. */
  onChange: () => void = () => undefined;
  /** A token of each server, for their clocks differ. */
  readonly #tokens = new Map<number, Promise<string>>();
  #time = 0;

  constructor(fleet: Fleet, organization: Organization) {
    this.fleet = fleet;
    this.organization = organization;
  }

  async act(server: number, act: Act): Promise<Entry> {
    const token = await this.tokenOf(server);
    const invoked = this.#time++;
    this.#count(server, 1);
    const received = await this.fleet.send(server, this.#request(act, token));
    this.#count(server, -1);
    const entry = { act, server, invoked, returned: this.#time++, ...received };
    this.history.push(entry);
    this.onChange();
    return entry;
  }

  #count(server: number, by: 1 | -1): void {
    this.pending.set(server, (this.pending.get(server) ?? 0) + by);
    if (by > 0) this.onChange();
  }

  /** Reads without recording. */
  async read(server: number, path: string): Promise<Received> {
    return this.#sendSafely(server, { method: 'GET', path, headers: bearing(await this.tokenOf(server)) });
  }

  /** Sends what may be sent again, for a connection may end at the moment at which it is used. */
  async #sendSafely(server: number, sent: Sent): Promise<Received> {
    const received = await this.fleet.send(server, sent);
    return received.status === undefined ? this.fleet.send(server, sent) : received;
  }

  /** A token of this server's, from one login. */
  tokenOf(server: number): Promise<string> {
    const token = this.#tokens.get(server) ?? this.#login(server);
    this.#tokens.set(server, token);
    return token;
  }

  async #login(server: number): Promise<string> {
    const { appCode, secret } = this.organization;
    const body = { app_code: appCode, secret };
    const login = await this.#sendSafely(server, { method: 'POST', path: '/auth/login', body });
    if (login.status !== 200) throw new Error(`logging in answered ${login.status} ${JSON.stringify(login.body)}`);
    return String(login.body.access_token);
  }

  #request(act: Act, token: string): Sent {
    const headers = bearing(token);
    switch (act.do) {
      case 'create':
        return act.via === 'event' ? this.#event(act) : this.#creation(act, headers);
      case 'change':
        return { method: 'PATCH', path: `/${act.kind}/${act.id}`, body: act.fields, headers };
      case 'delete':
        return { method: 'DELETE', path: `/${act.kind}/${act.id}`, headers };
      case 'list':
        return { method: 'GET', path: listPath(act.kind, queryOf(act)), headers };
    }
  }

  #creation({ kind, mark, fields, via }: Act & { do: 'create' }, headers: Record<string, string>): Sent {
    const body = bodyOf(kind, mark, fields);
    const key = via === 'key' ? { 'idempotency-key': mark } : {};
    return { method: 'POST', path: `/${kind}`, body, headers: { ...headers, ...key } };
  }

  #event({ kind, mark, fields }: Act & { do: 'create' }): Sent {
    const body = { event_type: `${kind.slice(0, -1)}.created`, data: bodyOf(kind, mark, fields) };
    const { appCode, secret } = this.organization;
    const headers = { 'x-event-id': mark, 'x-signature': sign(JSON.stringify(body), secret) };
    return { method: 'POST', path: `/webhooks/${appCode}`, body, headers };
  }
}

const bearing = (token: string) => ({ authorization: `Bearer ${token}` });

/** What each kind needs beside its mark. */
const REQUIRED: Readonly<Record<Kind, object>> = {
  clients: {},
  services: { type: 'saas' },
  resources: { type: 'server' },
  tickets: { description: 'soak', source: 'email', contact_id: '5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11' },
};

const bodyOf = (kind: Kind, mark: string, fields: Fields): object => ({
  ...REQUIRED[kind],
  [markOf(kind)]: mark,
  ...fields,
});

const queryOf = ({ filter, sort, pageSize }: Act & { readonly do: 'list' }): Fields => ({
  ...filter,
  ...(sort === undefined ? {} : { sort }),
  page_size: pageSize,
});

export const listPath = (kind: Kind, query: Fields): string => {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `/${kind}?${new URLSearchParams(texts)}`;
};
