import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Test files share a process, and some load this module again. */
const shared = globalThis as typeof globalThis & { keyDirectory?: string };

/** A directory of this process, deleted when it ends. */
export const keyDirectory = (): string => (shared.keyDirectory ??= newDirectory());

/** The file of keys of this process, which its functions read once. `ensureLocalKeys` makes it. */
export const keyFile = (): string => join(keyDirectory(), 'keys.json');

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'custodia-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
