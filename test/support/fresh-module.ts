import { randomUUID } from 'node:crypto';
import { registerHooks } from 'node:module';

const ROOT = new URL('../../', import.meta.url).href;

/** One module as a new container loads it, by its path from the root. All that it imports stays, as it is shared with other test files. */
export const freshModule = <T>(path: string): Promise<T> => import(`${ROOT}${path}?${randomUUID()}`);

/** Loads modules as a new container does, with all of ours that they import, by their paths from the root. */
export function freshContainer(): <T>(path: string) => Promise<T> {
  const container = `?container=${randomUUID()}`;
  return (path) => import(`${ROOT}${path}${container}`);
}

/** What a module of such a container imports is in it, too. */
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const container = /\?container=[^&]*$/.exec(context.parentURL ?? '')?.[0];
    const isOurs = resolved.url.startsWith(ROOT) && !resolved.url.includes('/node_modules/');
    return container !== undefined && isOurs ? { ...resolved, url: `${resolved.url}${container}` } : resolved;
  },
});
