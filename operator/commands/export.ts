import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { Tenant } from '#table';
import { printEach, printError } from '../../local/terminal/output.ts';
import { jsonText } from '../../local/terminal/printable.ts';
import { showProgress } from '../../local/terminal/progress.ts';
import { type Exported, recordsOf } from '../export.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../result.ts';
import { withTarget } from '../target.ts';
import { openForTenant, openTenant, type TenantOptions, withTenant } from '../tenant-option.ts';

/** `export` works under the stack's export role, which only reads, in an STS session for the one tenant. */

interface ExportOptions extends TenantOptions, ResultOptions {
  readonly out?: string;
}

export function declareExport(program: Command): void {
  const command = withTenant(program.command('export'))
    .description(
      'Write all records of a tenant in the form of the API, one JSON object in a line (NDJSON), without secrets',
    )
    .option('--out <file>', 'file to write, which is complete once it is there; by default standard output');
  withJson(withTarget(command, 'ExportRoleArn')).action(exportTenant);
  withExamples(
    command,
    'export --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --outputs outputs.json --out acme.ndjson',
    'export --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --local | gzip > acme.ndjson.gz',
  );
}

async function exportTenant(options: ExportOptions): Promise<void> {
  const { json, out } = options;
  await using target = await openForTenant(options, 'ExportRoleArn');
  const tenant = await openTenant(target.id);
  const counts: Record<string, number> = {};
  let total = 0;
  const progress = showProgress(() => `${total} records, ${Object.keys(counts).at(-1) ?? 'beginning'}`);
  const records = counted(tenant, (type) => {
    counts[type] = (counts[type] ?? 0) + 1;
    total += 1;
  });
  try {
    await (out === undefined ? printEach(records) : toFile(textsOf(records), out));
  } finally {
    progress.stop();
  }
  const summary = { org_id: tenant.orgId, records: counts, total };
  // Records go to standard output, unless they go to a file.
  if (out !== undefined) return printResult(options, summary, linesOf(summary));
  printError(...(json ? [jsonText(summary, 0)] : linesOf(summary)));
}

const linesOf = ({
  records,
  total,
}: {
  readonly records: Readonly<Record<string, number>>;
  readonly total: number;
}) => [
  ...Object.entries(records).map(([type, count]) => `${String(count).padStart(9)}  ${type}`),
  `Records: ${total}.`,
];

async function* counted(tenant: Tenant, count: (type: string) => void): AsyncGenerator<Exported> {
  for await (const exported of recordsOf(tenant)) {
    count(exported.type);
    yield exported;
  }
}

async function* textsOf(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${jsonText(value, 0)}\n`;
}

/** Only its owner may read the file. It has a temporary name until it is complete. */
async function toFile(lines: AsyncIterable<string>, file: string): Promise<void> {
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  await pipeline(Readable.from(lines), createWriteStream(partial, { mode: 0o600 }));
  await rename(partial, file);
}
