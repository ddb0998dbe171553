/** Checks that are made one after the other, with a line for each. */

export class Checks {
  readonly #began = Date.now();
  failed = 0;

  /** Makes a check, which fails by throwing. @returns whether it passed */
  async check(name: string, make: () => Promise<void>): Promise<boolean> {
    try {
      await make();
      this.#print('ok  ', name);
      return true;
    } catch (error) {
      this.failed += 1;
      this.#print('FAIL', name);
      console.log(`       ${String(error instanceof Error ? error.message : error).replaceAll('\n', '\n       ')}`);
      return false;
    }
  }

  /** Makes a check that all later ones depend on. @throws Error where it fails */
  async require(name: string, make: () => Promise<void>): Promise<void> {
    if (!(await this.check(name, make))) throw new Error(`Nothing is tried after this: ${name}.`);
  }

  #print(state: string, name: string): void {
    console.log(`${state}  ${String(Math.round((Date.now() - this.#began) / 1000)).padStart(4)} s  ${name}`);
  }
}

/** @throws Error that says what was found instead */
export function expectThat(isSo: boolean, instead: string): asserts isSo {
  if (!isSo) throw new Error(instead);
}
