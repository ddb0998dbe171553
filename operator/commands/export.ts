import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Tenant } from '#table';
import { printEach, printError } from '../../local/terminal/output.ts';
import { jsonText } from '../../local/terminal/printable.ts';
import { showProgress } from '../../local/terminal/progress.ts';
import { command, type Result } from '../command.ts';
import { type Exported, recordsOf } from '../export.ts';
import { openTenant } from '../tenant-option.ts';

/** `export` works under the stack's export role, which only reads, in an STS session for the one tenant. */

interface ExportOptions {
  readonly out?: string;
}

export const declareExport = command<ExportOptions>({
  name: 'export',
  description:
    'Write all records of a tenant in the form of the API, one JSON object in a line (NDJSON), without secrets',
  role: 'ExportRoleArn',
  opens: 'tenant',
  options: (declared) =>
    declared.option('--out <file>', 'file to write, which is complete once it is there; by default standard output'),
  examples: [
    'export --org acme --outputs outputs.json --out acme.ndjson',
    'export --org acme --local | gzip > acme.ndjson.gz',
  ],
  run: async ({ json, out }, id) => exportTenant(await openTenant(id), out, json === true),
});

async function exportTenant(tenant: Tenant, out: string | undefined, json: boolean): Promise<Result | undefined> {
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
  if (out !== undefined) return { value: summary, lines: linesOf(summary) };
  printError(...(json ? [jsonText(summary, 0)] : linesOf(summary)));
  return undefined;
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
