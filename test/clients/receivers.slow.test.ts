import { join } from 'node:path';
import { it } from 'vitest';
import { expectReceives } from './receiver.ts';

/** `npm run check:clients` runs the receiver in Python, whose library is downloaded. */

it('the receiver of docs/events.md takes what its endpoint’s secret has signed, and nothing else', async () => {
  const program = join(import.meta.dirname, '../../examples/receive-events.ts');
  await expectReceives(process.execPath, '--conditions=custodia-source', program);
});
