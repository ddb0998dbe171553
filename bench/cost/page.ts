import type { Template } from 'aws-cdk-lib/assertions';
import { markdown, type Table } from '../../generate/markdown.ts';
import { withText } from '../../generate/places.ts';
import { assumedTable } from './assumptions.ts';
import { fixedCosts } from './fixed.ts';
import type { Taken } from './lines.ts';
import { MIXES } from './mixes.ts';
import { PRICED_ON } from './prices.ts';
import { fixedTable, lineTable, mixList, priceTable, remedyTable, takenTable, tenantTable } from './tables.ts';
import { wayOf } from './way.ts';

/**
 * The page `docs/cost.md` with its figures.
 * @param template of a stage in production
 */
export function withCosts(page: string, measured: readonly Taken[], template: Template): string {
  const taken = new Map(measured.map((one) => [one.title, one]));
  const way = wayOf(template);
  const fixed = fixedCosts(template);
  const places: Readonly<Record<string, Table | string>> = {
    mixes: mixList(),
    lines: lineTable(taken, way),
    remedies: remedyTable(taken, way),
    fixed: fixedTable(fixed),
    tenants: tenantTable(MIXES[0], taken, way, fixed),
    taken: takenTable(taken),
    assumed: assumedTable(),
    'priced-on': PRICED_ON,
    prices: priceTable(),
  };
  return Object.entries(places).reduce(
    (text, [place, made]) => withText(text, `cost:${place}`, typeof made === 'string' ? made : markdown(made)),
    page,
  );
}
