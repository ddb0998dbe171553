import type {
  Custodia,
  CustodiaProblem,
  LogEntryCreate,
  Ticket,
  TicketCreate,
  TicketSummary,
} from '../../packages/client/src/index.ts';

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

export async function named(custodia: Custodia): Promise<unknown> {
  const { secret } = await custodia.integrations.create({ app_code: 'acme', display_name: 'Acme' });
  const rotated = await custodia.integrations.rotateSecret(path.id, {});
  const texts: string[] = [secret, rotated.secret, await custodia.docs.get()];
  const first: TicketSummary | undefined = (await custodia.tickets.list({ page: 1 }).page()).data[0];
  for await (const { subject } of custodia.tickets.list({ status: 'open' })) texts.push(subject);
  for await (const { subject } of custodia.tickets.list({ status: ['open', 'pending'] })) texts.push(subject);
  await custodia.tickets.update(path.id, { status: 'closed' }, { ifMatch: '"1"', query: { org_id: 'o' } });

  // @ts-expect-error: a field is missing
  await custodia.tickets.create({ subject: 'No receipts' });
  // @ts-expect-error: there is no such filter
  custodia.tickets.list({ stauts: 'open' });
  // @ts-expect-error: a ticket has no such status
  custodia.tickets.list({ status: ['open', 'done'] });
  // @ts-expect-error: it has no such header
  await custodia.tickets.get(path.id, {}, { ifMatch: '"1"' });
  // @ts-expect-error: nothing may come back
  await custodia.tickets.get(path.id, {}, { ifNoneMatch: '"1"' });
  // @ts-expect-error: it takes the id of an event
  await custodia.webhooks.receive('acme', { event_type: 'invoice.paid', data: {} });
  return [texts, first];
}

export async function batches(custodia: Custodia): Promise<void> {
  const params = { id: 'a' };
  await custodia.batch([
    { key: '1', operation: 'createClient', body: { name: 'Acme' } },
    { key: '2', operation: 'updateTicket', params, body: { status: 'closed' }, if_match: '"1"' },
    { key: '3', operation: 'upsertClient', params: { slug: 'acme' }, body: { name: 'Acme' } },
    { key: '4', operation: 'deleteTicket', params },
  ]);
  // @ts-expect-error: a client has a name
  await custodia.batch([{ key: '1', operation: 'createClient', body: { slug: 'acme' } }]);
  // @ts-expect-error: a client has no subject
  await custodia.batch([{ key: '1', operation: 'createClient', body: { name: 'Acme', subject: 'No receipts' } }]);
  // @ts-expect-error: a ticket has no such status
  await custodia.batch([{ key: '1', operation: 'updateTicket', params, body: { status: 'done' } }]);
  // @ts-expect-error: which ticket?
  await custodia.batch([{ key: '1', operation: 'updateTicket', body: { status: 'closed' } }]);
  // @ts-expect-error: which user is changed, if any?
  await custodia.batch([{ key: '1', operation: 'upsertUser', body: { email: 'a@acme.example' } }]);
  // @ts-expect-error: it is not carried out in batches
  await custodia.batch([{ key: '1', operation: 'rotateSecret', params, body: {} }]);
}

export function words(ticket: Ticket, entry: LogEntryCreate): unknown {
  // Requests are closed, and say so.
  const level: 'info' | 'warn' | 'error' | 'debug' | undefined = entry.level;
  // @ts-expect-error: there is no such level
  entry.level = 'fatal';
  // Words of responses may grow: any text fits, and those of today are suggested.
  ticket.status = 'on hold';
  // @ts-expect-error: it may be another word
  const status: 'open' | 'closed' | 'pending' = ticket.status;
  return [level, status];
}

export function problems(problem: CustodiaProblem): boolean {
  // @ts-expect-error: there is no such problem
  return problem.is('not-found') || problem.is('not-fund');
}
