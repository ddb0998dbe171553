import type { MeasuredOperations } from '../data-model/measure.ts';
import { markdown } from '../markdown.ts';
import { withText } from '../places.ts';
import { ceilingsOf } from './ceilings.ts';
import { ceilingTable } from './table.ts';

/** The page `docs/counted-lists.md` with the ceilings. */
export const withCeilings = (page: string, { loads }: MeasuredOperations): string =>
  withText(page, 'ceilings', markdown(ceilingTable(loads.map(ceilingsOf))));
