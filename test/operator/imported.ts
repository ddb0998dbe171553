import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentTable } from '#table';
import { type Exported, recordsOf } from '../../operator/export.ts';
import { checkFile } from '../../operator/import/check-file.ts';
import { importKinds } from '../../operator/import/kinds.ts';
import { References } from '../../operator/import/references.ts';
import { Report, type ReportLine } from '../../operator/import/report.ts';
import { importFile, type Progress } from '../../operator/import/run.ts';
import { createCustodia } from '../../packages/client/src/index.ts';
import type { Api, JsonBody, OrgAccess } from '../support/api.ts';
import { freshDirectory } from '../support/directory.ts';
import { openTenant } from '../support/storage.ts';

/** What an export writes, and its import into an organization, as the commands do it. */

/** A line of an export. */
export interface Line extends Exported {
  readonly record: JsonBody;
}

export async function linesOf({ orgId }: OrgAccess): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of recordsOf(openTenant(environmentTable(), orgId)))
    lines.push(JSON.parse(JSON.stringify(line)) as Line);
  return lines;
}

interface Options {
  /** Where the lines are written, beside their report; by default a new file. */
  readonly file?: string;
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Imports lines into an organization, and returns the report's lines with results. */
export async function imported(api: Api, lines: readonly Line[], into: OrgAccess, { file, fetch }: Options = {}) {
  const path = file ?? join(await freshDirectory(), 'acme.ndjson');
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const form = { kind: undefined, format: 'ndjson' } as const;
  const references = new References(importKinds);
  const checked = await checkFile(path, form, references);
  const run = { operation: 'export', url: api.url, app_code: into.appCode, org_id: null };
  await using report = await Report.open(`${path}.report`, { sha256: checked.sha256, ...run });
  const progress: Progress = { before: report.done, created: 0, updated: 0, failed: 0 };
  const client = createCustodia({
    baseUrl: api.url,
    credentials: into,
    fetch: fetch ?? api.fetch,
    ...(fetch !== undefined && { retry: { attempts: 1 } }),
  });
  const stopped = new AbortController().signal;
  await importFile({
    ...{ file: path, form, checked, references, report, client, progress, stopped },
    ...{ orgId: null, sendUnknown: false, now: Date.now },
  });
  const text = await readFile(`${path}.report`, 'utf8');
  const results = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ReportLine]));
  return { checked, progress, results: results.filter(({ status }) => status !== undefined) };
}
