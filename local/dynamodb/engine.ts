import { createServer } from 'node:net';
import { SetupError } from '../../shared/errors.ts';

export type EngineName = 'java' | 'dynoxide';

/** Name of each engine's database inside the data directory; neither reads the other's. */
export const DATA_FILES: Readonly<Record<EngineName, string>> = {
  java: 'shared-local-instance.db',
  dynoxide: 'dynoxide.db',
};

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The settings that an engine serves with. */
export interface Serving {
  /** Where its data lies; undefined: in memory only. */
  readonly directory: string | undefined;
  /** The engine's own {@link Engine.host}. */
  readonly host: string;
  /** A port that is free on `host`. An engine may listen on another. */
  readonly freePort: number;
  /** The access key that it accepts, where it checks one. */
  readonly accessKeyId: string;
}

/** A DynamoDB emulator present on this machine. */
export interface Engine {
  readonly name: EngineName;
  /** Matches what it prints once it listens; the first group is the port. */
  readonly announcement: RegExp;
  /** Matches what it prints when another process took `freePort` first. */
  readonly portTaken: RegExp;
  /** A loopback address to listen on. */
  host(): string;
  /** The command that serves until its standard input ends. */
  command(serving: Serving): Command;
}

/** An engine, or the reason why this machine cannot run it, as the end of a sentence: "…, because". */
export type FoundEngine = Engine | { readonly missing: string };

/** Looks for an engine on this machine. Never throws. */
export type Finder = () => Promise<FoundEngine>;

/** A port free on this address just now; another process may take it before the engine does. */
export const freePort = (host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** Another process has the data directory. */
export class DirectoryInUse extends SetupError {}
