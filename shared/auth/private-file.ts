import { randomBytes } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a file that only its owner may read (mode 0600), whole or not at all, and leaves one that is there as it is: of several
 * processes that do this at once, one makes the file and all find it.
 * @throws Error with a `code` when it cannot be written
 */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    // A link appears at once, with all of its content, and is refused where a file is.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
