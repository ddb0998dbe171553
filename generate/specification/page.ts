import { permissionCatalogue } from '#contract/derived';
import { PROBLEMS } from '#contract/problem';
import { describedBy } from '#openapi';
import { contracts } from '../../functions/all-contracts.ts';
import { markdown } from '../markdown.ts';
import { withText } from '../places.ts';
import { endpoints, events } from './endpoints.ts';
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
    'spec:events': events(contracts),
    'spec:problems': problems(),
  };
  return Object.entries(places).reduce((text, [place, tables]) => withText(text, place, tables), page);
}

const permissions = (): string =>
  markdown({
    head: ['code', 'allows to'],
    rows: permissionCatalogue(contracts).map(({ code, description }) => [`\`${code}\``, description]),
  });

const problems = (): string =>
  markdown({
    head: ['status', 'type', 'title'],
    rows: Object.entries(PROBLEMS).map(([type, { status, title }]) => [String(status), `\`${type}\``, title]),
  });
