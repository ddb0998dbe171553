import { quoted } from '../../local/terminal/printable.ts';
import type { CheckedFile } from './check-file.ts';
import type { Progress } from './run.ts';
import { sentenceOf } from './text.ts';

/** What an import says when it ends. */

/** Findings that are printed; `--json` has all. */
const SHOWN = 20;

/** The lines about a file of which nothing was sent. */
export function linesOfChecked(checked: CheckedFile): string[] {
  const { findings, invalid, total } = checked;
  const more = findings.length - SHOWN;
  return [
    ...findings.slice(0, SHOWN).map((finding) => `${sentenceOf(finding)}.`),
    ...(more > 0 ? [`… and ${more} more: --json prints all.`] : []),
    ...countsOf(checked.counts),
    ...exportLines(checked),
    invalid > 0
      ? `Nothing was sent. Lines with mistakes: ${invalid}; records that can be imported: ${total}.`
      : `Nothing was sent. The file has no mistakes; records that would be imported: ${total}.`,
  ];
}

/** @param checked was imported without its lines with mistakes, which `progress` counts as failed */
export function linesOfRun(checked: CheckedFile, progress: Progress, report: string): string[] {
  const { before, created, updated, failed } = progress;
  return [
    ...countsOf(checked.counts),
    ...exportLines(checked),
    `Created: ${created}, updated: ${updated}, failed: ${failed}${before > 0 ? `, before: ${before}` : ''}. The ` +
      `result of each is in ${quoted(report)}.`,
    ...(checked.invalid > 0 ? [`Lines with mistakes among them: ${checked.invalid}. ${CORRECTED}`] : []),
    ...(failed > checked.invalid ? ['Run it again when the reasons are gone: what is done is not done again.'] : []),
  ];
}

const CORRECTED = 'Put them right in a file of their own: this one, changed, would create the others again.';

/** What one sees of a tenant that was moved, besides its records. */
export const DIFFERENCES = [
  'ids, and the times that the service sets (created_at, updated_at, last_activity_at, last_contact, ' +
    'first_response_at, resolved_at)',
  'ids inside free-form JSON and texts: they stay as they were',
  'what runners are to do to services, or have done: these are entries of the log',
  'credentials of services and resources, which an export does not have',
  'integrations, webhook endpoints and their secrets, and the organization itself',
  'actions of clients, logs, audit and webhook events: they say what happened elsewhere',
  'the order of records that were created within a batch',
];

function exportLines({ leftOut, deleted }: CheckedFile): string[] {
  const left = Object.entries(leftOut);
  const gone = Object.entries(deleted);
  if (left.length === 0 && gone.length === 0) return [];
  return [
    'Equal but for:',
    ...DIFFERENCES.map((difference) => `  - ${difference}`),
    ...gone.map(([field, count]) => `  - ${field}, where it names a deleted record: null (${count})`),
    ...(left.length === 0 ? [] : [`Not imported: ${left.map(([type, count]) => `${count} ${type}`).join(', ')}.`]),
  ];
}

const countsOf = (counts: CheckedFile['counts']): string[] =>
  Object.entries(counts).map(([type, count]) => `${String(count).padStart(9)}  ${type}`);

/** `1200 of 50000 records, 180 a second, 3 failed, 4 min left` */
export function progressLine({ before, created, updated, failed }: Progress, total: number, seconds: number): string {
  const now = created + updated + failed;
  const rate = seconds > 0 ? now / seconds : 0;
  const left = Math.max(0, total - before - now) / rate;
  const remaining = rate === 0 ? '' : `, ${left < 90 ? `${Math.ceil(left)} s` : `${Math.ceil(left / 60)} min`} left`;
  return (
    `${before + now} of ${total} records, ${rate.toFixed(rate < 10 ? 1 : 0)} a second, ${failed} ` +
    `failed${remaining}`
  );
}
