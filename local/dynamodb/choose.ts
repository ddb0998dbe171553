import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../../shared/errors.ts';
import { findDynoxide } from './dynoxide.ts';
import { DATA_FILES, type Engine, type EngineName, type Finder, type FoundEngine } from './engine.ts';
import { findDynamoDbLocal } from './java.ts';

const FINDERS: Readonly<Record<EngineName, Finder>> = { java: findDynamoDbLocal, dynoxide: findDynoxide };
const REMEDY: Readonly<Record<EngineName, string>> = {
  java:
    'install Java 17 or later, a JDK (for example "apt install openjdk-17-jdk-headless" or "brew install ' +
    'openjdk@17")',
  dynoxide: 'run "npm install --include=optional" for @dynoxide/linux-x64',
};
/** An engine on this machine, or the reason why the machine cannot run it. */
export const findEngine = (name: EngineName): Promise<FoundEngine> => FINDERS[name]();

/** DynamoDB Local first: it is AWS's own. */
const PREFERENCE: readonly EngineName[] = ['java', 'dynoxide'];

/**
 * The engine to start: the requested one, else the one whose data is in `directory`, else the first one that this
 * machine can run.
 * @throws SetupError when it is not there.
 */
export const chooseEngine = async (
  asked: EngineName | undefined,
  directory: string | undefined,
  finders: Readonly<Record<EngineName, Finder>> = FINDERS,
): Promise<Engine> => {
  const owner = asked === undefined ? ownerOf(directory) : undefined;
  const only = asked ?? owner;
  const names = only === undefined ? PREFERENCE : [only];
  const reasons: string[] = [];
  for (const name of names) {
    const found = await finders[name]();
    if ('name' in found) return found;
    reasons.push(`${name}: ${found.missing}`);
  }
  const why = owner === undefined ? '' : `, and the data in ${directory} was made by ${owner}`;
  const remedies = names.map((name) => REMEDY[name]).join(', or ');
  throw new SetupError(
    `No DynamoDB to embed (${reasons.join('; ')}${why}): ${remedies}, or set DYNAMODB_ENDPOINT to one that runs.`,
  );
};

/** Data in the directory decides, because another engine would not see it and would look empty. */
const ownerOf = (directory: string | undefined): EngineName | undefined => {
  if (directory === undefined) return undefined;
  const owners = PREFERENCE.filter((name) => existsSync(join(directory, DATA_FILES[name])));
  return owners.length === 1 ? owners[0] : undefined;
};
