import { expect } from 'vitest';
import { pasteSteps, patternOf, type Step, withoutSpace } from './paste.ts';

export { type Step, stepsOf } from './paste.ts';

/** Pastes the commands of pages, one after the other, and expects what they show. */
export async function expectSteps(steps: readonly Step[], url: string): Promise<void> {
  const { pasted, stderr } = await pasteSteps(steps, url);
  expect(stderr).toBe('');
  for (const { commands, output, shown } of pasted) expect(withoutSpace(output), commands).toMatch(patternOf(shown));
}
