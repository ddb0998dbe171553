import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

/**
 * Creates a file that only its owner may read (mode 0600), atomically. An existing file keeps its content and gets that
 * mode: when several processes do this at once, one creates the file and all find it.
 * @returns whether it was created
 * @throws Error with a `code` when it cannot be written
 */
export async function createPrivateFile(path: string, content: string | Buffer): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(draft, content, { mode: OWNER_ONLY, flag: 'wx', flush: true });
    // `link` makes the whole file visible at once, and fails where a file exists.
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await makePrivate(path);
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Gives a file the mode 0600. It stays as it is where that cannot be done: it belongs to another user, or its file
 * system has no modes.
 * @throws Error with a `code` when there is none
 */
export async function makePrivate(path: string): Promise<void> {
  if (((await stat(path)).mode & 0o077) === 0) return;
  await chmod(path, OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM') throw error;
  });
}
