/** Loads a function from source: `functions/<name>/handler.ts`, whose export `handler` is the Lambda's handler. */
import type { FunctionHandler } from './gateway/options.ts';
export const loadFromSource = async (name: string): Promise<FunctionHandler> => {
  const module: { readonly handler?: unknown } = await import(`../functions/${name}/handler.ts`);
  if (typeof module.handler !== 'function') throw new TypeError(`functions/${name}/handler.ts exports no handler`);
  return module.handler as FunctionHandler;
};
