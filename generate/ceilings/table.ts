import type { MarkdownTable } from '../markdown.ts';
import type { Ceilings } from './ceilings.ts';

/** The table of ceilings in `docs/counted-lists.md`. The lowest of a row is bold. */
export const ceilingTable = (ceilings: readonly Ceilings[]): MarkdownTable => ({
  head: ['request', 'W', 'R', 'in a tenant', 'a second', 'by a shared item', 'a second', 'default budget'],
  rows: ceilings.map(({ load: { title, units }, ofTenant, ofItem, ofBudget }) => {
    const rate = ratesOf([ofTenant.perSecond, ofItem?.perSecond, ofBudget]);
    return [
      `\`${title}\``,
      String(units.write),
      String(units.read),
      ofTenant.what,
      rate(ofTenant.perSecond),
      ofItem?.what ?? '–',
      rate(ofItem?.perSecond),
      rate(ofBudget),
    ];
  }),
});

/** Writes the rates of a row. */
function ratesOf(rates: readonly (number | undefined)[]): (rate: number | undefined) => string {
  const lowest = Math.min(...rates.filter((rate) => rate !== undefined));
  return (rate) => {
    if (rate === undefined) return '–';
    const text = Math.floor(rate).toLocaleString('en');
    return rate === lowest ? `**${text}**` : text;
  };
}
