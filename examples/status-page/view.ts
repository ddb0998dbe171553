import type { ClientRecord, Resource, TicketSummary } from '@custodia/client';
import type { Shown } from './app.ts';

/** Writes what is shown into the page. Everything that the API answers is put there as text. */
export function show({ clients, resources, tickets }: Shown): void {
  const names = new Map(clients.data.map(({ id, name }) => [id, name]));
  fill(
    '#clients',
    clients.data.map((client) =>
      clientItem(
        client,
        resources.data.filter(({ client_id }) => client_id === client.id),
      ),
    ),
    'No clients yet.',
  );
  fill(
    '#tickets',
    tickets.data.map((ticket) => ticketItem(ticket, names.get(ticket.client_id ?? ''))),
    'No open tickets.',
  );
  fill('#clients-total', [String(clients.total)]);
  fill('#tickets-total', [String(tickets.total)]);
}

function clientItem({ name, status, has_risks }: ClientRecord, resources: readonly Resource[]): HTMLElement {
  const health = element('span', has_risks ? 'at risk' : 'healthy', has_risks ? 'bad' : 'good');
  const unwell = resources.filter(({ health_status }) => health_status !== 'healthy');
  const item = element('li');
  item.append(
    element('strong', name),
    health,
    element('small', `${status}, resources: ${resources.length}`),
    ...unwell.map((each) => element('small', `${each.name}: ${each.health_status}${usageOf(each)}`, 'bad')),
  );
  return item;
}

const usageOf = ({ cpu_usage }: Resource): string => (cpu_usage === null ? '' : `, CPU ${cpu_usage} %`);

function ticketItem({ ticket_code, subject, priority, created_at }: TicketSummary, client?: string): HTMLElement {
  const item = element('li');
  const since = created_at === null ? '' : new Date(created_at).toLocaleString();
  item.append(
    element('strong', subject),
    element('small', [ticket_code, client, priority, since].filter(Boolean).join(' · ')),
  );
  return item;
}

function element(name: string, text = '', className = ''): HTMLElement {
  return Object.assign(document.createElement(name), { textContent: text, className });
}

function fill(selector: string, content: readonly (HTMLElement | string)[], nothing = ''): void {
  document.querySelector(selector)?.replaceChildren(...(content.length === 0 ? [nothing] : content));
}
