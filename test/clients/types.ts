import type { Custodia, CustodiaProblem, Ticket, TicketCreate } from '../../clients/typescript/src/index.ts';

/** What the compiler has to accept and to refuse (`npm run check`). Nothing here is run. */

const path = { id: 'some-id' };
const body: TicketCreate = { subject: 'No receipts', description: 'Silent.', source: 'email', contact_id: 'someone' };

export async function calls(custodia: Custodia): Promise<unknown> {
  const created: Ticket = (await custodia.POST('/api/v1/tickets', { body })).data;
  const { data } = await custodia.GET('/api/v1/tickets/{id}', { params: { path }, signal: AbortSignal.timeout(1000) });
  const nothing: undefined = (await custodia.DELETE('/api/v1/tickets/{id}', { params: { path } })).data;
  await custodia.GET('/api/v1/tickets');

  // @ts-expect-error: a field is missing
  await custodia.POST('/api/v1/tickets', { body: { description: 'Silent.', source: 'email', contact_id: 'someone' } });
  // @ts-expect-error: there is no such path
  await custodia.GET('/api/v1/nothing');
  // @ts-expect-error: it takes an id
  await custodia.GET('/api/v1/tickets/{id}');
  // @ts-expect-error: it is not a number
  created.subject satisfies number;
  return [data.subject, nothing];
}

export async function conditional(custodia: Custodia, tag: string): Promise<unknown> {
  const header = { 'If-None-Match': tag };
  const { data } = await custodia.GET('/api/v1/tickets/{id}', { params: { path, header } });
  // @ts-expect-error: nothing comes back when nothing has changed
  data.subject satisfies string;
  return data?.subject;
}

export async function* lists(custodia: Custodia): AsyncGenerator<unknown> {
  for await (const { total, data } of custodia.pages('/api/v1/tickets')) yield [total.toFixed(), data[0]?.subject];
  for await (const { message } of custodia.records('/api/v1/tickets/{id}/messages', { params: { path } }))
    yield message;
  for await (const { subject } of custodia.watch('/api/v1/tickets/{id}', { params: { path }, every: 10 }))
    yield subject;
  // @ts-expect-error: a ticket is no list
  yield custodia.pages('/api/v1/tickets/{id}', { params: { path } });
}

export function problems(problem: CustodiaProblem): boolean {
  // @ts-expect-error: there is no such problem
  return problem.is('not-found') || problem.is('not-fund');
}
