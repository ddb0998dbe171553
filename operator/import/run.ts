import type { HistoryEntry, Resource } from '../../functions/resources/contract.ts';
import type { BatchOperation, Custodia, ImportResult } from '../../packages/client/src/index.ts';
import { type CheckedFile, findingsOf, inputOf, mistakesIn } from './check-file.ts';
import { type ImportKind, importKinds, isUpsert, LIMITS } from './kinds.ts';
import { type FileForm, type FileRecord, recordsOf } from './records.ts';
import type { References } from './references.ts';
import { nameOf, type Report, type ReportLine, type Step } from './report.ts';
import { sentenceOf, shortened } from './text.ts';

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

/** What is sent for a record of a file. */
export interface ToSend extends Step {
  readonly kind: ImportKind;
  /** The id that the record had where it was exported. */
  readonly exportedId?: string | undefined;
  readonly operation: BatchOperation;
}

/** A record that is not sent, and why. */
export interface NotSent extends Step {
  /** Undefined for a line of an export that is no record. */
  readonly kind: ImportKind | undefined;
  readonly status: 'not-sent' | 'unknown';
  readonly reason: string;
}

interface StepsContext {
  readonly file: string;
  readonly form: FileForm;
  readonly sha256: string;
  readonly references: References;
  readonly report: Report;
  /** Milliseconds since 1970: what was sent before, and may have been carried out, is not sent again. */
  readonly unknownBefore: number;
}

const USAGE = 'updateResource';
const [RESOURCE, SAMPLE] = ['Resource', 'ResourceHistoryEntry'];

/** The steps of records of a level (`kinds.ts`), in the order of the file, without those that are done. */
export async function* stepsOf(level: number, context: StepsContext): AsyncGenerator<ToSend | NotSent, void> {
  const { file, form } = context;
  const usage = form.kind === undefined ? new UsageSteps(level, context) : undefined;
  for await (const record of recordsOf(file, form)) {
    const { kind } = record;
    yield* usage?.before(record) ?? [];
    if (kind?.level === level) {
      const step = stepOf(kind, record, context);
      if (step !== undefined) yield step;
    } else if (kind === undefined && level === 0) {
      const reason = mistakeOf(record);
      if (reason !== undefined) yield { line: record.line, kind, status: 'not-sent', reason };
    }
  }
  yield* usage?.end() ?? [];
}

function stepOf(kind: ImportKind, record: FileRecord, context: StepsContext): ToSend | NotSent | undefined {
  const { line, id: exportedId } = record;
  const { report, references, unknownBefore } = context;
  const notSent = (status: NotSent['status'], reason: string): NotSent => ({ line, kind, status, reason });
  if (report.isDone(record)) {
    const imported = report.idOf(record);
    if (exportedId !== undefined && imported !== undefined) references.set(kind, exportedId, imported);
    return undefined;
  }
  const mistake = mistakeOf(record);
  if (mistake !== undefined) return notSent('not-sent', mistake);
  const mapped = exportedId === undefined ? record : references.mapped(kind, record.fields);
  const refusal = 'waitsFor' in mapped && refusalOf(kind, mapped);
  if (refusal) return notSent('not-sent', refusal);
  const since = isUpsert(kind) ? undefined : report.unknownSince(record);
  if (since !== undefined && since < unknownBefore) return notSent('unknown', UNKNOWN);
  const fields = exportedId !== undefined && kind.record === RESOURCE ? withoutReports(mapped.fields) : mapped.fields;
  const key = `${context.sha256}-${nameOf({ line })}`;
  // The records were checked against the body of this operation (`check-file.ts`), which the compiler does not know.
  const operation = { key, operation: kind.operation, ...inputOf(kind, fields) } as BatchOperation;
  return { line, kind, exportedId, operation };
}

/** The first thing that is wrong with a record. */
function mistakeOf(record: FileRecord): string | undefined {
  const [finding] = findingsOf(record);
  return finding && sentenceOf(shortened(finding));
}

const UNKNOWN =
  'It was sent more than a day ago, and no response came: perhaps it was carried out. Look for it, and import it ' +
  'with --send-unknown where it is missing.';

/** Why a record cannot be sent with these references. */
function refusalOf(kind: ImportKind, mapped: ReturnType<References['mapped']>): string | undefined {
  const [field] = mapped.waitsFor;
  if (field !== undefined) return `#/${field}: the ${kind.references.get(field)} that it refers to was not imported.`;
  if (mapped.deleted.length === 0) return undefined;
  const limits = LIMITS[kind.record] ?? [];
  const lost =
    limits.every((limit) => mapped.fields[limit] == null) && limits.find((limit) => mapped.deleted.includes(limit));
  const pointer = lost ? `#/${lost}` : mistakesIn(kind, mapped.fields)[0]?.pointer;
  return pointer && `${pointer}: the file does not have the record that it refers to.`;
}

/** What exported resources still need after their samples, which follow them in the file. */
class UsageSteps {
  readonly #context: StepsContext;
  readonly #level: number;
  #resource: { readonly record: FileRecord; readonly kind: ImportKind; readonly replayed: Replayed } | undefined;

  constructor(level: number, context: StepsContext) {
    this.#level = level;
    this.#context = context;
  }

  *before(record: FileRecord): Generator<ToSend, void> {
    const { kind, fields } = record;
    if (kind?.record === SAMPLE) this.#resource?.replayed.add(fields);
    else if (kind?.record === RESOURCE) {
      yield* this.end();
      // The samples are of the level above.
      if (kind.level + 1 === this.#level) this.#resource = { record, kind, replayed: new Replayed(fields) };
    }
  }

  *end(): Generator<ToSend, void> {
    const { record, kind, replayed } = this.#resource ?? {};
    this.#resource = undefined;
    const body = replayed?.missing;
    if (record === undefined || kind === undefined || body === undefined) return;
    const { report, references, sha256 } = this.#context;
    const step = { line: record.line, part: 'usage' } as const;
    const id = references.importedId(record.id ?? '');
    if (id === undefined || report.isDone(step)) return;
    yield { ...step, kind, operation: { key: `${sha256}-${nameOf(step)}`, operation: USAGE, params: { id }, body } };
  }
}

/**
 * Usage and health of an exported resource. They follow from its samples, and a resource that is created with them has
 * a sample at once. So it is created without them, gets its samples in their order, and then what is still missing.
 */

const REPORTED = ['cpu_usage', 'memory_usage', 'storage_usage', 'health_status', 'last_health_check'] as const;
type Reported = Pick<Resource, (typeof REPORTED)[number]>;

/** The fields that a resource is created with. */
export const withoutReports = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => !(REPORTED as readonly string[]).includes(field)));

/** What a resource has after its samples, as the service takes them over. */
export class Replayed {
  readonly #target: Reported;
  #state: Reported = {
    cpu_usage: null,
    memory_usage: null,
    storage_usage: null,
    health_status: 'healthy',
    last_health_check: null,
  };

  /** @param fields of the exported resource */
  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#target = Object.fromEntries(REPORTED.map((field) => [field, fields[field]])) as unknown as Reported;
  }

  /** A sample that is older than what the resource knows changes nothing. */
  add(sample: Readonly<Record<string, unknown>>): void {
    const { timestamp, cpu_usage, memory_usage, storage_usage, health_status } = sample as unknown as HistoryEntry;
    const { last_health_check: known } = this.#state;
    if (known !== null && Date.parse(timestamp) < Date.parse(known)) return;
    this.#state = { cpu_usage, memory_usage, storage_usage, health_status, last_health_check: timestamp };
  }

  /** The change that makes the resource what it was; undefined where it is that already. */
  get missing(): Record<string, unknown> | undefined {
    const changed = REPORTED.filter((field) => this.#target[field] !== this.#state[field]);
    if (changed.length === 0) return undefined;
    // With the time of the last check a change is no check of now.
    return Object.fromEntries([...changed, 'last_health_check' as const].map((field) => [field, this.#target[field]]));
  }
}
