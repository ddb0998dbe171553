import type { Contract } from '#contract';

/** The file `functions/webhooks/domains.ts`: how the webhooks' function loads the domain of an event that has an effect. */
export async function webhookDomains(contracts: readonly Contract[]): Promise<string> {
  const declaring = contracts.filter((contract) => eventsOf(contract).length > 0);
  const sources = await Promise.all(declaring.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(sourceOf));
  return [
    '// Made by `npm run docs` from the contracts. Do not edit.',
    `import { type RouteTable, routeTable } from '../../shared/http/route-table.ts';`,
    ...sources.flatMap(loader),
    '',
    '/** How to load the domain of an event, by event type: those with an effect, which a route declares. */',
    'export const domains: ReadonlyMap<string, () => Promise<RouteTable>> = new Map([',
    ...sources.flatMap(({ name, events }) => events.map((type) => `  ['${type}', ${name}],`)),
    ']);',
    '',
  ].join('\n');
}

/** The types of events that routes of a domain declare. */
const eventsOf = ({ routes }: Contract): string[] => Object.values(routes).flatMap(({ event }) => event?.type ?? []);

interface Source {
  /** As `functions/webhooks` imports from it. */
  readonly folder: string;
  /** Names under which the domain exports its contract and its operations; the former is also its loader's. */
  readonly name: string;
  readonly operations: string;
  readonly events: readonly string[];
}

async function sourceOf(contract: Contract): Promise<Source> {
  const load = (file: string): Promise<object> => import(`../functions/${contract.name}/${file}.ts`);
  const ids = Object.keys(contract.routes);
  const nameIn = (module: object, file: string, isIt: (value: object) => boolean): string => {
    const found = Object.entries<object>({ ...module }).find(([, value]) => isIt(value));
    if (found === undefined) throw new TypeError(`functions/${contract.name}/${file}.ts does not export its ${file}`);
    return found[0];
  };
  return {
    folder: `../${contract.name}`,
    name: nameIn(await load('contract'), 'contract', (value) => value === contract),
    operations: nameIn(await load('operations'), 'operations', (value) => ids.every((id) => id in value)),
    events: eventsOf(contract),
  };
}

const loader = ({ folder, name, operations }: Source): string[] => [
  '',
  `async function ${name}(): Promise<RouteTable> {`,
  `  const { ${name} } = await import('${folder}/contract.ts');`,
  `  const { ${operations} } = await import('${folder}/operations.ts');`,
  `  return routeTable(${name}, ${operations});`,
  '}',
];
