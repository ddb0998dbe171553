import {
  type ClientRecord,
  type Custodia,
  CustodiaProblem,
  createCustodia,
  type Listing,
  type Resource,
  type TicketSummary,
} from '@custodia/client';
import { show } from './view.ts';

/** Shows an organization's clients, the health of their resources and the open tickets, and keeps what it shows as it is at the API. */

/** Milliseconds between two looks at what is shown. */
const EVERY = 3000;

export interface Shown {
  clients: { readonly data: readonly ClientRecord[]; readonly total: number };
  resources: { readonly data: readonly Resource[] };
  tickets: { readonly data: readonly TicketSummary[]; readonly total: number };
}

const form = document.querySelector('form') as HTMLFormElement;
const main = document.querySelector('main') as HTMLElement;
const state = document.querySelector('#state') as HTMLElement;
const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement;

field('address').value = location.protocol.startsWith('http') ? location.origin : 'http://127.0.0.1:3000';

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const custodia = createCustodia({ baseUrl: field('address').value, credentials: { token: field('token').value } });
  // The token is in the client now, and nowhere else.
  field('token').value = '';
  form.hidden = true;
  state.textContent = 'Loading …';
  state.textContent = await follow(custodia).catch(messageOf);
  main.hidden = true;
  form.hidden = false;
});

/** Ends with an error that does not pass by waiting. */
async function follow(custodia: Custodia): Promise<never> {
  const shown: Partial<Shown> = {};
  const ended = new AbortController();
  const update = <K extends keyof Shown>(name: K, page: Shown[K]): void => {
    shown[name] = page;
    const { clients, resources, tickets } = shown;
    if (clients === undefined || resources === undefined || tickets === undefined) return;
    show({ clients, resources, tickets });
    main.hidden = false;
    state.textContent = `As of ${new Date().toLocaleTimeString()}`;
  };
  const { signal } = ended;
  const watch = <K extends keyof Shown>(name: K, list: Listing<Shown[K]>) =>
    repeatedly(async () => {
      for await (const page of list.watch({ every: EVERY })) update(name, page);
    }, signal);
  const all = { page_size: 200 } as const;
  const each = [
    watch('clients', custodia.clients.list(all, { signal })),
    watch('resources', custodia.resources.list(all, { signal })),
    watch('tickets', custodia.tickets.list({ ...all, status: 'open' }, { signal })),
  ];
  try {
    return await Promise.race(each);
  } finally {
    ended.abort();
    await Promise.allSettled(each);
  }
}

/** Begins again where nothing responded or the service failed, also after the client's own attempts. */
async function repeatedly(watch: () => Promise<void>, signal: AbortSignal): Promise<never> {
  for (;;) {
    try {
      await watch();
    } catch (error) {
      if (signal.aborted || (error instanceof CustodiaProblem && error.status < 500)) throw error;
      state.textContent = `${messageOf(error)} Trying again …`;
      await new Promise((resolve) => setTimeout(resolve, EVERY));
    }
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof CustodiaProblem)) return 'The API does not answer.';
  return error.status === 401 ? 'This token is not valid, or not any more.' : error.message;
}
