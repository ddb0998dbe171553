import type { Custodia, ImportResult } from '../../packages/client/src/index.ts';
import type { CheckedFile } from './check-file.ts';
import { importKinds } from './kinds.ts';
import type { FileForm } from './records.ts';
import type { References } from './references.ts';
import type { Report, ReportLine } from './report.ts';
import { type NotSent, stepsOf, type ToSend } from './steps.ts';

/** Sends the records of a checked file. */

/** What was done so far, in records. */
export interface Progress {
  /** How many earlier runs have imported. */
  before: number;
  created: number;
  updated: number;
  failed: number;
}

export interface RunOptions {
  readonly file: string;
  readonly form: FileForm;
  readonly checked: Pick<CheckedFile, 'sha256' | 'total'>;
  readonly references: References;
  readonly report: Report;
  readonly client: Pick<Custodia, 'importRecords'>;
  /** The organization that gets a platform caller's records. */
  readonly orgId: string | null;
  readonly progress: Progress;
  /** Whether to send again what was sent more than a day ago without a response. */
  readonly sendUnknown: boolean;
  readonly now: () => number;
  /** No further batch is sent when it is aborted. */
  readonly stopped: AbortSignal;
}

/** Keys are kept for a day; an hour is for clocks that differ. In milliseconds. */
const KEYS_KEPT = 23 * 3_600_000;

/**
 * Imports level by level, so that records are there when others refer to them. Each result is in the report when it is
 * known.
 * @throws CustodiaProblem, TypeError or TimeoutError where it cannot go on: what was done is in the report
 */
export async function importFile(options: RunOptions): Promise<void> {
  const levels = options.form.kind?.level ?? Math.max(...importKinds.map(({ level }) => level));
  try {
    for (let level = options.form.kind?.level ?? 0; level <= levels; level++) await importLevel(level, options);
  } catch (error) {
    if (error !== options.stopped.reason) throw error;
  }
}

async function importLevel(level: number, options: RunOptions): Promise<void> {
  const { report, client, orgId, progress, now, stopped } = options;
  const sent = new Map<string, ToSend>();
  const results = client.importRecords(operationsOf(level, options, sent), {
    ...(orgId !== null && { query: { org_id: orgId } }),
    onSend: (batch) => {
      // Also where only refused operations are left, which a small budget would let through for minutes.
      stopped.throwIfAborted();
      return report.sending(
        batch.flatMap(({ key }) => sent.get(key) ?? []),
        now(),
      );
    },
  });
  for await (const result of results) {
    const { key } = result.operation;
    const step = sent.get(key);
    if (step === undefined) throw new TypeError(`nothing was sent as ${key}`);
    sent.delete(key);
    count(progress, step, result);
    const id = result.body?.id;
    const isImported = result.status < 300 && step.exportedId !== undefined && id !== undefined;
    if (isImported) options.references.set(step.kind, String(step.exportedId), String(id));
    await report.note(lineOf(step, result));
  }
}

/** The operations of a level, which are kept in `sent` under their keys. */
async function* operationsOf(level: number, options: RunOptions, sent: Map<string, ToSend>) {
  const { file, form, checked, references, report, progress, now, stopped } = options;
  const unknownBefore = options.sendUnknown ? Number.NEGATIVE_INFINITY : now() - KEYS_KEPT;
  const context = { file, form, sha256: checked.sha256, references, report, unknownBefore };
  for await (const step of stepsOf(level, context)) {
    if (stopped.aborted) return;
    if ('operation' in step) {
      sent.set(step.operation.key, step);
      yield step.operation;
    } else {
      progress.failed += 1;
      await report.note(notSentLine(step));
    }
  }
}

function count(progress: Progress, { part }: ToSend, { status }: ImportResult): void {
  if (status >= 300) progress.failed += 1;
  else if (part === undefined) progress[status === 201 ? 'created' : 'updated'] += 1;
}

const lineOf = ({ line, part, kind }: ToSend, { operation, status, body, problem }: ImportResult): ReportLine => ({
  line,
  ...(part !== undefined && { part }),
  type: kind.record,
  operation: operation.operation,
  status,
  ...(body?.id !== undefined && { id: String(body.id) }),
  ...(problem !== undefined && { problem }),
});

const notSentLine = ({ line, kind, status, reason }: NotSent): ReportLine => ({
  line,
  ...(kind !== undefined && { type: kind.record, operation: kind.operation }),
  status,
  problem: { detail: reason },
});
