import { folded } from '../../shared/folded.ts';
import type { FieldValues } from './api.ts';
import type { Random } from './random.ts';

/** The clients of the demo organization, with their services and resources. */

const FIRST = ['Atlântico', 'Beira', 'Cedro', 'Douro', 'Estrela', 'Farol', 'Girassol', 'Horizonte', 'Ilha', 'Jardim'];
const SECOND = ['Hotels', 'Bakeries', 'Logistics', 'Clinics', 'Books', 'Wines', 'Cycles', 'Travel', 'Foods', 'Studio'];
const PLANS = ['basic', 'standard', 'premium'] as const;
const TIME_ZONES = ['Europe/Lisbon', 'Europe/Lisbon', 'Atlantic/Azores', 'Europe/Madrid'] as const;

/** The client with this number, from 0; a hundred have names of their own, the others a name with a number. */
export function sampleClient(index: number, random: Random): FieldValues & { readonly slug: string } {
  const words = [FIRST[index % 10], SECOND[(index + Math.floor(index / 10)) % 10]];
  const name = [...words, ...(index < 100 ? [] : [index + 1])].join(' ');
  const slug = folded(name).replaceAll(' ', '-');
  return {
    name,
    slug,
    email: `it@${slug}.example`,
    phone: 351_210_000_000 + random.between(0, 999_999),
    plan: random.of(PLANS),
    timezone: random.of(TIME_ZONES),
    metadata: { employees: random.between(4, 400), since: random.between(2014, 2025) },
  };
}

const SERVICES = [
  { name: 'Web shop', type: 'web', host: 'shop', monthly_cost: 120 },
  { name: 'Bookings', type: 'saas', host: 'book', monthly_cost: 85 },
  { name: 'Mail', type: 'email', host: 'mail', monthly_cost: 30 },
  { name: 'Stock', type: 'erp', host: 'stock', monthly_cost: 210 },
  { name: 'Backups', type: 'storage', host: 'backup', monthly_cost: 45 },
] as const;

export function sampleService(
  index: number,
  of: { readonly client_id: string; readonly slug: string },
  random: Random,
) {
  const { name, type, host, monthly_cost } = SERVICES[index % SERVICES.length] ?? SERVICES[0];
  return {
    client_id: of.client_id,
    name,
    type,
    host,
    description: `${name} of ${of.slug}, looked after by us.`,
    url: `https://${host}.${of.slug}.example`,
    version: `${random.between(1, 6)}.${random.between(0, 12)}.${random.between(0, 9)}`,
    monthly_cost,
    uptime_percentage: Number((99 + random.next()).toFixed(2)),
    tags: [type, random.of(['gold', 'silver'])],
    deployment_config: { region: 'eu-west-1', replicas: random.between(1, 3) },
  };
}

const MACHINES = [
  { type: 'vm', provider: 'hetzner', cores: 2, memory_gb: 4, monthly_cost: 12 },
  { type: 'vm', provider: 'hetzner', cores: 4, memory_gb: 16, monthly_cost: 38 },
  { type: 'database', provider: 'aws', cores: 2, memory_gb: 8, monthly_cost: 61 },
  { type: 'server', provider: 'local', cores: 16, memory_gb: 64, monthly_cost: 90 },
] as const;

interface Place {
  readonly client_id: string;
  readonly service_id: string;
  readonly host: string;
  /** When it was created, as a timestamp. */
  readonly since: string;
}

export function sampleResource(index: number, { client_id, service_id, host, since }: Place, random: Random) {
  const { cores, memory_gb, ...machine } = random.of(MACHINES);
  return {
    client_id,
    service_id,
    name: `${host}-${index + 1}`,
    ...machine,
    location: random.of(['Lisbon', 'Porto', 'Falkenstein', 'Dublin']),
    ip_address: `192.0.2.${random.between(1, 254)}`,
    specifications: { cores, memory_gb },
    tags: [machine.type],
    alert_threshold: random.of([80, 85, 90]),
    provisioned_at: since,
  };
}

export const sampleTerminal = (index: number, client_id: string, random: Random): FieldValues => ({
  client_id,
  name: random.of(['Front desk', 'Till', 'Kiosk', 'Warehouse scanner']) + (index === 0 ? '' : ` ${index + 1}`),
  location: random.of(['Lisbon, ground floor', 'Porto, Rua das Flores 12', 'Faro, airport', 'Coimbra, first floor']),
});

export const sampleServiceAction = (service_id: string, random: Random): FieldValues => ({
  service_id,
  action_type: random.of(['restart', 'deploy', 'backup']),
  status: random.next() < 0.9 ? 'completed' : 'failed',
  parameters: { requested_by: random.of(['schedule', 'ticket']) },
});
