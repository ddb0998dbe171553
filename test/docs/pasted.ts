import { expect } from 'vitest';
import { type Execute, execute, pasteSteps, patternOf, type Step, withoutSpace } from './paste.ts';

export { type Step, stepsOf } from './paste.ts';

/** Starting npm takes as long as the operator's command line; `local-command.slow.test.ts` runs that by npx. */
const withoutNpm: Execute = (script) => execute(`npx() { shift; node bin/custodia.cjs "$@"; }\n${script}`);

/** Pastes the commands of pages, one after the other, and expects what they show. */
export async function expectSteps(steps: readonly Step[], url: string): Promise<void> {
  const { pasted, stderr } = await pasteSteps(steps, url, withoutNpm);
  expect(stderr).toBe('');
  for (const { commands, output, shown } of pasted) expect(withoutSpace(output), commands).toMatch(patternOf(shown));
}
