import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startDynamoDb } from '#local-dynamodb';
import { chooseEngine } from '../../local/dynamodb/choose.ts';
import { DATA_FILES, type Engine, type EngineName, type Finder } from '../../local/dynamodb/engine.ts';
import { majorVersion } from '../../local/dynamodb/java.ts';
import { freshDirectory } from '../support/directory.ts';

const finder =
  (name: EngineName, isThere: boolean): Finder =>
  async () =>
    isThere ? ({ name } as Engine) : { missing: 'not here' };

describe('the choice of an engine', () => {
  /** What is asked for, whose data is in the directory, what is there, and what is chosen or said. */
  it.each<[EngineName | undefined, EngineName | undefined, EngineName[], RegExp]>([
    [undefined, undefined, ['java', 'dynoxide'], /^java$/],
    [undefined, undefined, ['dynoxide'], /^dynoxide$/],
    ['dynoxide', undefined, ['java', 'dynoxide'], /^dynoxide$/],
    ['java', undefined, ['dynoxide'], /^SetupError: /],
    [undefined, 'dynoxide', ['java', 'dynoxide'], /^dynoxide$/],
    [undefined, 'dynoxide', ['java'], /was made by dynoxide/],
    [undefined, undefined, [], /^SetupError: No DynamoDB to embed .*install Java 17 or later.*npm install.*\.$/],
  ])('of %s, over data of %s, where there are %j, is %s', async (asked, data, there, expected) => {
    const directory = await freshDirectory();
    if (data !== undefined) await writeFile(join(directory, DATA_FILES[data]), '');
    const [java, dynoxide] = (['java', 'dynoxide'] as const).map((name) => finder(name, there.includes(name)));
    const found = { java: java as Finder, dynoxide: dynoxide as Finder };
    const chosen = await chooseEngine(asked, data && directory, found).then(({ name }) => name, String);
    expect(chosen).toMatch(expected);
  });

  it('finds no Java on a machine without one', async () => {
    vi.stubEnv('PATH', '/nowhere');
    vi.stubEnv('JAVA_HOME', '');
    await expect(startDynamoDb({ dataDir: ':memory:', engine: 'java' })).rejects.toThrow('it found no Java');
  });
});

it.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['java version "1.8.0_402"', 8],
  ['openjdk version "25" 2025-09-16', 25],
  ['No Java runtime present', undefined],
])('the version of Java of %s is %s', (output, version) => {
  expect(majorVersion(output)).toBe(version);
});
