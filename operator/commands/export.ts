import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { showProgress } from '../../local/terminal/progress.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { type AnswerOptions, withExamples, withJson } from '../answer.ts';
import { recordsOf } from '../export.ts';
import { openTarget, type TargetOptions, withTarget } from '../target.ts';
import { openTenant, tenantIdIn } from '../tenant-option.ts';

/** `export` works under the stack's export role, which only reads, in a session for the one tenant. */

interface ExportOptions extends TargetOptions, AnswerOptions {
  readonly org: string;
  readonly out?: string;
}

export function declareExport(program: Command): void {
  const command = program
    .command('export')
    .description(
      'Write all records of a tenant in the form of the API, one JSON object in a line (NDJSON), without secrets',
    )
    .requiredOption('--org <id>', 'id of an organization, or "platform"')
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
  const id = tenantIdIn(options.org);
  await using _ = await openTarget(options, 'ExportRoleArn');
  const tenant = await openTenant(id);
  const counts: Record<string, number> = {};
  let total = 0;
  const progress = showProgress(() => `${total} records, ${Object.keys(counts).at(-1) ?? 'beginning'}`);
  const lines = linesOf(tenant, (type) => {
    counts[type] = (counts[type] ?? 0) + 1;
    total += 1;
  });
  try {
    await (out === undefined ? toStandardOutput(lines) : toFile(lines, out));
  } finally {
    progress.stop();
  }
  const summary = json
    ? JSON.stringify({ org_id: tenant.orgId, records: counts, total }, undefined, 2)
    : [
        ...Object.entries(counts).map(([type, count]) => `${String(count).padStart(9)}  ${type}`),
        `Records: ${total}.`,
      ].join('\n');
  // Standard output has the records, unless a file has them.
  if (out === undefined) console.error(summary);
  else console.log(summary);
}

async function* linesOf(tenant: Tenant, count: (type: string) => void): AsyncGenerator<string> {
  for await (const exported of recordsOf(tenant)) {
    count(exported.type);
    yield `${JSON.stringify(exported)}\n`;
  }
}

async function toStandardOutput(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) if (!process.stdout.write(line)) await once(process.stdout, 'drain');
}

/** For its owner only; under another name until it is complete. */
async function toFile(lines: AsyncIterable<string>, file: string): Promise<void> {
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  await pipeline(Readable.from(lines), createWriteStream(partial, { mode: 0o600 }));
  await rename(partial, file);
}
