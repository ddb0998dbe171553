import { InvalidArgumentError } from 'commander';

/** A month of UTC. */
export interface Month {
  /** `2026-11` */
  readonly name: string;
  /** In epoch milliseconds: the beginnings of this month and of the next. */
  readonly from: number;
  readonly until: number;
}

export const monthOf = (year: number, month: number): Month => ({
  name: `${year}-${String(month).padStart(2, '0')}`,
  from: Date.UTC(year, month - 1),
  until: Date.UTC(year, month),
});

/** Parses the option that names a month, such as `2026-11`. */
export function monthIn(text: string): Month {
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined) throw new InvalidArgumentError('It must be a month, such as 2026-11.');
  return monthOf(Number(year), Number(month));
}
