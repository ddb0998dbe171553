import type { Contract } from '#contract';
import { isWithoutContract, readsTable, rightsOf } from '../rights.ts';

/**
 * The entry of a function's bundle: its handler, and its warm start (`shared/warm-start.ts`), which the source does not have, so
 * that no test and no local server makes its calls. A function that reads the table reads one key of it; one that signs or verifies
 * tokens reads their public keys, which it needs for its first request.
 */
export function entryOf(name: string, all: readonly Contract[]): string {
  const served = isWithoutContract(name) ? name : all.find((each) => each.name === name);
  const rights = served === undefined ? {} : rightsOf(served);
  const steps = [
    ...(readsTable(rights) ? [['readWarmKey', '#table']] : []),
    ...(rights.verifies ? [['environmentPublicKeys', '#auth']] : []),
  ];
  const handler = `export { handler } from ${JSON.stringify(`./functions/${name}/handler.ts`)};`;
  if (steps.length === 0) return handler;
  return [
    handler,
    `import { warmStart } from './shared/warm-start.ts';`,
    ...steps.map(([step, door]) => `import { ${step} } from '${door}';`),
    `export const started = warmStart([${steps.map(([step]) => step).join()}]);`,
  ].join('\n');
}
