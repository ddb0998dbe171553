import { requestsFor, STANDARD_LIMIT, STANDARD_SHARE } from '../../shared/tenancy/budget/request-budget.ts';
import { TRANSACTION_MS } from '../../test/support/conflicts.ts';
import type { MeasuredOperations } from '../data-model/measure.ts';
import { general } from '../data-model/words.ts';
import { type MarkdownTable, markdown } from '../markdown.ts';
import { withText } from '../places.ts';
import type { SharedLoad } from './measure.ts';

/** What AWS allows, a second. */
export const AWS_QUOTAS = {
  /**
   * Of a partition of DynamoDB. All items of a partition key are in one, until DynamoDB splits it between two sort
   * keys. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
   */
  writeUnits: 1_000,
  readUnits: 3_000,
  /**
   * Signatures with elliptic curve keys, of an account and region.
   * https://docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html
   */
  signatures: 1_000,
} as const;

/** How many requests a second something admits. */
interface Ceiling {
  readonly what: string;
  readonly perSecond: number;
}

/** What admits how many of a request, a second. */
interface Ceilings {
  readonly load: SharedLoad;
  /** In one tenant, whatever its requests are for: the lowest. */
  readonly ofTenant: Ceiling;
  /** With one parent or in one list, by an item that is in the transactions of all; undefined where there is none. */
  readonly ofItem: Ceiling | undefined;
  /** By the standard budget of a tenant; undefined where requests have none. */
  readonly ofBudget: number | undefined;
}

/** One signature each, and no budget: the caller is not known yet (`docs/decisions/0081`). */
const LOGIN = /\/auth\/login/;

export function ceilingsOf(load: SharedLoad): Ceilings {
  const isLogin = LOGIN.test(load.title);
  const ofAccount = isLogin ? [{ what: 'signatures of KMS, of the account', perSecond: AWS_QUOTAS.signatures }] : [];
  return {
    load,
    ofTenant: lowest([...partitionCeilings(load), ...ofAccount]),
    ofItem: itemCeiling(load),
    ofBudget: isLogin
      ? undefined
      : (STANDARD_SHARE * STANDARD_LIMIT) / 60 / requestsFor(load.units.read + load.units.write),
  };
}

/** Those of the partition keys that take most. */
const partitionCeilings = ({ partitions }: SharedLoad): Ceiling[] =>
  (['write', 'read'] as const).flatMap((kind) => {
    const most = Math.max(...Array.from(partitions.values(), (units) => units[kind]));
    const names = namesOf(
      Array.from(partitions.keys()).filter((partition) => partitions.get(partition)?.[kind] === most),
    );
    const quota = kind === 'write' ? AWS_QUOTAS.writeUnits : AWS_QUOTAS.readUnits;
    return most === 0 ? [] : [{ what: `${kind}s of ${names}: ${counted(most)}`, perSecond: quota / most }];
  });

const counted = (units: number): string => (units === 1 ? '1 unit' : `${units} units`);

const lowest = (ceilings: readonly Ceiling[]): Ceiling =>
  ceilings.reduce((low, ceiling) => (ceiling.perSecond < low.perSecond ? ceiling : low));

/** A transaction holds its items until it is done, and refuses others meanwhile. */
function itemCeiling({ items }: SharedLoad): Ceiling | undefined {
  const names = namesOf(items.map(({ PK }) => PK));
  return names === '' ? undefined : { what: `transactions of one ${names}`, perSecond: 1_000 / TRANSACTION_MS };
}

/** The first two, and how many others. */
function namesOf(partitions: readonly string[]): string {
  const names = [...new Set(partitions.map(general))].toSorted().map((name) => `\`${name}\``);
  return [...names.slice(0, 2), ...(names.length > 2 ? [`${names.length - 2} more`] : [])].join(', ');
}

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

/** The page `docs/counted-lists.md` with the ceilings. */
export const withCeilings = (page: string, { loads }: MeasuredOperations): string =>
  withText(page, 'ceilings', markdown(ceilingTable(loads.map(ceilingsOf))));
