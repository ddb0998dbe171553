import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { measureOperations } from '../../generate/data-model/measure.ts';
import { costOf, type Played } from '../../generate/data-model/play.ts';
import { reportProgress } from '../../local/terminal/progress.ts';
import { synthesize, templatesIn } from '../../test/infra/synthesize.ts';
import { measureTurn } from './deliveries.ts';
import type { Taken } from './lines.ts';
import { profilesOf } from './stage.ts';
import { coldStartIn, withCosts } from './tables.ts';

const PAGE = new URL('../../docs/cost.md', import.meta.url);
const PERFORMANCE = new URL('../../docs/performance.md', import.meta.url);

/** Sizes of responses are rounded to this many bytes, because the compressed size of random ids varies by a few. */
const STEP = 100;

interface Options {
  /** Writes the page `docs/cost.md` instead of printing it. */
  readonly writeDocs: boolean;
}

/**
 * Computes the cost of the service from measured requests, the stack's template and list prices. It needs the engine
 * that counts units as AWS does.
 */
export async function benchCost({ writeDocs }: Options): Promise<true> {
  // Before there are keys of the local API.
  const turn = await measureTurn();
  const { report, stop } = reportProgress('starting');
  const { operations, variants } = await measureOperations(report).finally(stop);
  const requests = [...operations, ...variants].map(takenBy);
  const performance = await readFile(PERFORMANCE, 'utf8');
  const coldStart = coldStartIn(performance);
  const profiles = profilesOf((context) => templatesIn(synthesize({ context })), coldStart);
  const page = withCosts(await readFile(PAGE, 'utf8'), { requests, turn, performance }, profiles);
  if (writeDocs) await writeFile(PAGE, page);
  else console.log(page);
  return true;
}

function takenBy({ title, calls, reply }: Played): Taken {
  const body = JSON.stringify(reply ?? '');
  return {
    title,
    ...costOf(calls),
    responseBytes: stepped(Buffer.byteLength(body)),
    compressedBytes: stepped(gzipSync(body).byteLength),
  };
}

const stepped = (bytes: number): number => Math.ceil(bytes / STEP) * STEP;
