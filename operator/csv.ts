/** Matches texts that a spreadsheet would run as a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;

/** A line of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front. */
export const csvLine = (values: readonly (string | number | null)[]): string => values.map(cell).join();

function cell(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value ?? '');
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
