import { Option } from 'commander';
import { addressOf } from '../../local/settings.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { showProgress } from '../../local/terminal/progress.ts';
import { type Custodia, createCustodia } from '../../packages/client/src/index.ts';
import { command, type Result } from '../command.ts';
import { type CheckedFile, checkFile } from '../import/check-file.ts';
import { importKinds, upserting } from '../import/kinds.ts';
import { addressIn, formOf, mappingIn } from '../import/options.ts';
import type { FileForm } from '../import/records.ts';
import { References } from '../import/references.ts';
import { Report } from '../import/report.ts';
import { linesOfChecked, linesOfRun, progressLine } from '../import/results.ts';
import { importFile, type Progress } from '../import/run.ts';
import { OperatorProblem } from '../problem.ts';
import { idIn, ORG, onlyOne } from '../tenant-option.ts';

/**
 * `import` calls the API with the key of an integration, as any caller does. Other users of the machine can see command
 * lines, so the secret is a variable.
 */

const SECRET = 'CUSTODIA_SECRET';
const NAMES = importKinds.map(({ name }) => name);
/** `client by slug` */
const UPSERTS = importKinds
  .flatMap((kind) => upserting(kind) ?? [])
  .map(({ name, named }) => `${name} by ${named?.field}`)
  .join(', ');

interface ImportOptions {
  readonly type?: string;
  readonly format?: 'csv' | 'ndjson';
  readonly map?: ReadonlyMap<string, string>;
  readonly url?: string;
  readonly appCode?: string;
  readonly org?: string;
  readonly upsert?: true;
  readonly report?: string;
  readonly dryRun?: true;
  readonly skipInvalid?: true;
  readonly sendUnknown?: true;
}

export const declareImport = command<ImportOptions>({
  name: 'import',
  description: 'Create records from a file of CSV or NDJSON, or from what export has written, through the API',
  options: (declared) =>
    declared
      .argument(
        '<file>',
        'the file, in UTF-8: .csv or .tsv with a header line, .ndjson or .jsonl with one JSON object in a line',
      )
      .addOption(
        new Option('--type <kind>', 'kind of the records; without it the file is one of export').choices(NAMES),
      )
      .addOption(
        new Option('--format <format>', 'where the name of the file does not say it').choices(['csv', 'ndjson']),
      )
      .option(
        '--map <columns>',
        'fields of columns that have other names, as Name=name,Kind=type; Notes= leaves a column out',
        mappingIn,
      )
      .option('--upsert', `change records that are there already: ${UPSERTS}`)
      .option('--dry-run', 'check the file, and send nothing')
      .option('--skip-invalid', 'import the other records of a file that has mistakes')
      .option(
        '--report <file>',
        'file for the result of each record, from which an interrupted import goes on; by default that of the ' +
          'records with .report.ndjson behind its name',
      )
      .option('--send-unknown', 'also send what was sent more than a day ago, and got no response')
      .option(
        '--url <address>',
        'where the API is, in front of /api/v1; by default that of npm start, at HOST and PORT',
        addressIn,
      )
      .option('--app-code <code>', `the integration that imports; its secret is read from ${SECRET}`)
      .option(
        ORG.flags,
        'of a platform integration: the id of the organization that gets the records, or its slug, where no other ' +
          'has the same',
      ),
  examples: [
    'import resources.csv --type resource --dry-run',
    'import resources.csv --type resource --app-code acme --url https://api.example.com',
    'import acme.ndjson --app-code acme --url https://api.example.com',
  ],
  run: (options, _, [file = '']) => importRecords(file, options),
});

async function importRecords(file: string, options: ImportOptions): Promise<Result> {
  const secret = process.env[SECRET];
  delete process.env[SECRET];
  const form = formOf(file, options);
  const references = new References(importKinds);
  const checked = await checkFile(file, form, references);
  const isInvalid = checked.invalid > 0;
  if (options.dryRun || (isInvalid && !options.skipInvalid))
    return { value: checked, lines: linesOfChecked(checked), isNegative: isInvalid };
  const { progress, report } = await run({ file, form, checked, references }, options, secret);
  return {
    value: { ...checked, ...progress, report },
    lines: linesOfRun(checked, progress, report),
    isNegative: isInvalid || progress.failed > 0,
  };
}

interface Checked {
  readonly file: string;
  readonly form: FileForm;
  readonly checked: CheckedFile;
  readonly references: References;
}

/** @throws OperatorProblem where it cannot go on; what was done is in the report */
async function run(given: Checked, options: ImportOptions, secret: string | undefined) {
  const { url = addressOf(process.env), appCode, org, sendUnknown = false } = options;
  if (appCode === undefined || !secret)
    throw new OperatorProblem(`Name the integration with --app-code, and its secret in the variable ${SECRET}.`);
  const credentials = { appCode, secret };
  // A report is of one stage, one integration and one organization: it is begun when all are known to be right.
  const orgId = await targetOf(createCustodia({ baseUrl: url, credentials }), org).catch((cause: unknown) => {
    if (cause instanceof OperatorProblem) throw cause;
    throw new OperatorProblem(`Nothing was sent: ${reasonOf(cause, url)}.`, { cause });
  });
  const path = options.report ?? `${given.file}.report.ndjson`;
  const operation = given.form.kind?.operation ?? 'export';
  await using report = await Report.open(path, {
    ...{ sha256: given.checked.sha256, operation, url, app_code: appCode, org_id: orgId },
  });
  const progress: Progress = { before: report.done, created: 0, updated: 0, failed: 0 };
  const client = createCustodia({ baseUrl: url, credentials, retry: RETRY });
  using interrupt = untilInterrupted();
  const start = performance.now();
  const total = given.checked.total + given.checked.invalid;
  const shown = showProgress(() => progressLine(progress, total, (performance.now() - start) / 1_000));
  try {
    await importFile({
      ...given,
      report,
      client,
      orgId,
      progress,
      sendUnknown,
      now: Date.now,
      stopped: interrupt.signal,
    });
  } catch (error) {
    throw new OperatorProblem(
      `It stopped after ${doneIn(progress)} of ${total} records: ${reasonOf(error, url)}. ${AGAIN}`,
      {
        cause: error,
      },
    );
  } finally {
    shown.stop();
  }
  if (interrupt.signal.aborted)
    throw new OperatorProblem(`It was stopped after ${doneIn(progress)} of ${total} records. ${AGAIN}`);
  return { progress, report: path };
}

/** The organization that gets the records; null: that of the integration. A slug is looked up as any caller does. */
async function targetOf(client: Custodia, org: string | undefined): Promise<string | null> {
  await client.GET('/api/v1/me');
  if (org === undefined) return null;
  const id = idIn(org);
  if (id !== undefined) return id;
  const found = new Map<string, string>();
  for await (const { id, name, slug } of client.orgs.list()) if (slug === org) found.set(id, quoted(name));
  return onlyOne(org, found);
}

/** A stage may be away for a minute. */
const RETRY = { attempts: 8, longest: 60_000 };
const AGAIN = 'Run it again to go on.';

const doneIn = ({ before, created, updated, failed }: Progress): number => before + created + updated + failed;

const reasonOf = (error: unknown, url: string): string =>
  error instanceof TypeError && error.message === 'fetch failed' ? `no API answers at ${url}` : String(error);

/** Ctrl-C ends the import after the batch that is under way; a second one at once. */
function untilInterrupted(): Disposable & { readonly signal: AbortSignal } {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop);
  return { signal: stopping.signal, [Symbol.dispose]: () => process.off('SIGINT', stop) };
}
