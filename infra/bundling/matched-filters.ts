import type { OnLoadOptions, Plugin } from 'esbuild';

/**
 * Records which filters of plugins match a module. The bundler does not report a filter that matches none, as when a
 * file is moved or a package renames its files. A function would then load what it should not, unnoticed.
 */
export class MatchedFilters {
  readonly #matched = new Map<string, boolean>();

  /**
   * The same plugin, whose path filters are recorded. Filters of a namespace only match what a path filter has put
   * there.
   */
  recording(plugin: Plugin): Plugin {
    return {
      name: plugin.name,
      setup: (build) =>
        plugin.setup({
          ...build,
          onResolve: (options, resolve) => build.onResolve(options, this.#recorded(plugin, options, resolve)),
          onLoad: (options, load) => build.onLoad(options, this.#recorded(plugin, options, load)),
        }),
    };
  }

  /** @throws Error with the filters that have matched nothing so far */
  requireAll(): void {
    const idle = Array.from(this.#matched).flatMap(([filter, matched]) => (matched ? [] : [filter]));
    if (idle.length > 0) throw new Error(`No module is matched by a filter of bundling: ${idle.join(', ')}`);
  }

  #recorded<Given, Result>(
    plugin: Plugin,
    { filter, namespace }: OnLoadOptions,
    callback: (given: Given) => Result,
  ): (given: Given) => Result {
    if (namespace !== undefined) return callback;
    const name = `${plugin.name} ${filter}`;
    this.#matched.set(name, this.#matched.get(name) ?? false);
    return (given) => {
      this.#matched.set(name, true);
      return callback(given);
    };
  }
}
