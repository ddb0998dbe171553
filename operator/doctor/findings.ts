import { errorSentenceOf, OperatorProblem } from '../problem.ts';

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  /** The result, or the problem and its remedy. */
  readonly detail: string;
}

export interface Check {
  readonly name: string;
  /** Checks that must succeed before this one is made. */
  readonly needs?: readonly string[];
  /**
   * Makes the check, and describes what it found.
   * @throws Skipped, Warning; any other error says what is wrong
   */
  readonly look: () => Promise<string>;
  /** The remedy for a failure. The message of an {@link OperatorProblem} contains its own. */
  readonly advice: string;
}

/** A check cannot be made; that is no problem. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Something should be better, but the stage works. */
export class Warning extends Error {
  override readonly name = 'Warning';
}

/** Makes the checks one after the other. */
export async function findingsOf(checks: readonly Check[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, needs = [], look, advice } of checks) {
    const missing = findings.find(({ check, state }) => needs.includes(check) && state !== 'ok' && state !== 'warning');
    findings.push(
      missing === undefined
        ? await findingOf(name, look, advice)
        : { check: name, state: 'skipped', detail: `needs: ${missing.check}` },
    );
  }
  return findings;
}

async function findingOf(check: string, look: () => Promise<string>, advice: string): Promise<Finding> {
  try {
    return { check, state: 'ok', detail: await look() };
  } catch (error) {
    if (error instanceof Skipped) return { check, state: 'skipped', detail: error.message };
    if (error instanceof Warning) return { check, state: 'warning', detail: error.message };
    const said = errorSentenceOf(error);
    const isAdvised = error instanceof OperatorProblem;
    return { check, state: 'wrong', detail: isAdvised ? said : `${said.replace(/\.?$/, '.')} ${advice}` };
  }
}
