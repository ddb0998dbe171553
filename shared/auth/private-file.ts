import { randomBytes } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a file that only its owner may read (mode 0600), atomically. An existing file stays as it is: when several processes do this at
 * once, one creates the file and all find it.
 * @throws Error with a `code` when it cannot be written
 */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    // `link` makes the whole file visible at once, and fails where a file exists.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
