import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** One module as a new container loads it, by its path from the root. All that it imports stays, as it is shared with other test files. */
export const freshModule = <T>(path: string): Promise<T> =>
  import(/* @vite-ignore */ `${join(import.meta.dirname, '../..', path)}?${randomUUID()}`);
