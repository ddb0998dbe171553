/** Decimals that sums have: more than the smallest value of a field has. */
const DECIMALS = 30;

/**
 * The sum of numbers from 0 on, as they are written: `0.1 + 0.2` is `0.3`. It is rounded once, to the nearest double.
 */
export function exactSum(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + scaled(value), 0n);
  const digits = String(sum).padStart(DECIMALS + 1, '0');
  return Number(`${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`);
}

/** A number by its shortest text, which may have an exponent. */
function scaled(value: number): bigint {
  const [digits = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS + Number(exponent), '0'));
}
