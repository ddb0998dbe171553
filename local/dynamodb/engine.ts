export type EngineName = 'java' | 'dynoxide';

/** Name of each engine's database inside the data directory; neither reads the other's. */
export const DATA_FILES: Readonly<Record<EngineName, string>> = {
  java: 'shared-local-instance.db',
  dynoxide: 'dynoxide.db',
};

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** A DynamoDB emulator present on this machine. */
export interface Engine {
  readonly name: EngineName;
  /** Matches what it prints once it listens; the first group is the port. */
  readonly announcement: RegExp;
  /** Matches what it prints when another process took `freePort` first. */
  readonly portTaken: RegExp;
  /**
   * The command that serves `directory` (memory only when undefined) on 127.0.0.1, on `freePort` or on one of its own choice,
   * until its standard input ends.
   */
  command(directory: string | undefined, freePort: number): Command;
}

/** An engine, or the words that end "…, because": why this machine cannot run it. */
export type Found = Engine | { readonly missing: string };

/** Looks for one engine on this machine. Never throws. */
export type Finder = () => Promise<Found>;
