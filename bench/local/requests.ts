import type { Request } from 'autocannon';
import type { Server } from './server.ts';

/** The requests to both servers, and the records that they need. */
export const LOCAL_OPERATIONS = ['get', 'list', 'create'] as const;
export type LocalOperation = (typeof LOCAL_OPERATIONS)[number];

export type Requests = Readonly<Record<LocalOperation, Request>>;

const PATH = '/api/v1/clients';
const SEEDED = 60;

const client = (slug: string) => ({
  name: 'Acme Lda',
  slug,
  email: 'ops@acme.example',
  phone: 351210000000,
  plan: 'premium',
  metadata: { tier: 'gold' },
});

/** Creates records through a server, and returns the requests. */
export async function localRequestsOf({ url }: Pick<Server, 'url'>, token?: string): Promise<Requests> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const id = await seed(url, headers);
  let created = 0;
  const creating: Request = { method: 'POST', path: PATH, headers };
  return {
    get: { method: 'GET', path: `${PATH}/${id}`, headers },
    list: { method: 'GET', path: PATH, headers },
    create: {
      ...creating,
      setupRequest: (request) => ({ ...request, body: JSON.stringify(client(`created-${created++}`)) }),
    },
  };
}

async function seed(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  let id = '';
  for (let index = 0; index < SEEDED; index++) {
    const body = JSON.stringify(client(`client-${index}`));
    const response = await fetch(`${url}${PATH}`, { method: 'POST', headers, body });
    if (response.status !== 201) throw new Error(`a client was answered ${response.status} ${await response.text()}`);
    ({ id } = (await response.json()) as { id: string });
  }
  return id;
}
