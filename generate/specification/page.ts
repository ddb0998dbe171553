import { PROBLEMS, permissionCatalogue } from '#contract';
import { describedBy } from '#openapi';
import { contracts } from '../../functions/all-contracts.ts';
import { withText } from '../places.ts';
import { endpoints } from './endpoints.ts';
import { records } from './records.ts';
import type { Schemas } from './schema.ts';

/**
 * The page `docs/specification.md` with its tables from the contracts. The text between the tables is written by hand.
 */
export function withContracts(page: string): string {
  const { components } = describedBy(contracts);
  const places = {
    'spec:records': records(contracts, components.schemas as Schemas),
    'spec:permissions': permissions(),
    'spec:endpoints': endpoints(contracts),
    'spec:problems': problems(),
  };
  return Object.entries(places).reduce((text, [place, tables]) => withText(text, place, tables), page);
}

const permissions = (): string =>
  permissionCatalogue(contracts)
    .map(({ code }) => `\`${code}\``)
    .join(', ');

/** The problems of each status. */
const problems = (): string =>
  Array.from(
    Map.groupBy(Object.entries(PROBLEMS), ([, { status }]) => status),
    ([status, types]) => `- ${status}: ${types.map(([type, { title }]) => `\`${type}\` (${title})`).join(', ')}`,
  ).join('\n');
