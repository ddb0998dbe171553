import type { Contract } from '../shared/contract/route.ts';

/** The file `functions/webhooks/domains.ts`: the domains with routes that declare an event, whose operations the webhooks' function carries. */
export async function webhookDomains(contracts: readonly Contract[]): Promise<string> {
  const declaring = contracts.filter(({ routes }) => Object.values(routes).some(({ event }) => event !== undefined));
  const sources = await Promise.all(declaring.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(sourceOf));
  const imports = [
    `import { type RouteTable, routeTable } from '../../shared/http/route-table.ts';`,
    ...sources.flatMap(({ folder, contract, operations }) => [
      `import { ${contract} } from '${folder}/contract.ts';`,
      `import { ${operations} } from '${folder}/operations.ts';`,
    ]),
  ];
  return `// Made by \`npm run docs\` from the contracts. Do not edit.
${imports.join('\n')}

/** The domains whose events have an effect: those with a route that declares one. */
export const domains: readonly RouteTable[] = [
${sources.map(({ contract, operations }) => `  routeTable(${contract}, ${operations}),`).join('\n')}
];
`;
}

interface Source {
  /** As `functions/webhooks` imports from it. */
  readonly folder: string;
  /** Names under which the domain exports its contract and its operations. */
  readonly contract: string;
  readonly operations: string;
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
    contract: nameIn(await load('contract'), 'contract', (value) => value === contract),
    operations: nameIn(await load('operations'), 'operations', (value) => ids.every((id) => id in value)),
  };
}
