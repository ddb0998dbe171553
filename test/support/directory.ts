import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty directory, deleted after the test. */
export const freshDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'custodia-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
};
