import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { chooseEngine } from '../../local/dynamodb/choose.ts';
import { EmbeddedDynamoDbError, startDynamoDb } from '../../local/dynamodb/embedded.ts';
import { DATA_FILES, type Engine, type EngineName, type Finder } from '../../local/dynamodb/engine.ts';
import { majorVersion } from '../../local/dynamodb/java.ts';
import { freshDirectory } from '../support/directory.ts';

const present =
  (name: EngineName): Finder =>
  async () =>
    ({ name }) as Engine;
const absent: Finder = async () => ({ missing: 'not here' });
const both = { java: present('java'), dynoxide: present('dynoxide') };

describe('the choice of an engine', () => {
  it("prefers AWS's own", async () => {
    expect((await chooseEngine(undefined, undefined, both)).name).toBe('java');
  });

  it('falls back to dynoxide where there is no Java', async () => {
    expect((await chooseEngine(undefined, undefined, { ...both, java: absent })).name).toBe('dynoxide');
  });

  it('takes the engine that was asked for, and no other', async () => {
    expect((await chooseEngine('dynoxide', undefined, both)).name).toBe('dynoxide');
    await expect(chooseEngine('java', undefined, { ...both, java: absent })).rejects.toThrow(EmbeddedDynamoDbError);
  });

  it('stays with the engine whose data is in the directory', async () => {
    const directory = await freshDirectory();
    await writeFile(join(directory, DATA_FILES.dynoxide), '');
    expect((await chooseEngine(undefined, directory, both)).name).toBe('dynoxide');
    await expect(chooseEngine(undefined, directory, { ...both, dynoxide: absent })).rejects.toThrow(
      'was made by dynoxide',
    );
  });

  it('says in one sentence what to install when there is none', async () => {
    const failure = await chooseEngine(undefined, undefined, { java: absent, dynoxide: absent }).catch(String);
    expect(failure).toMatch(
      /^EmbeddedDynamoDbError: No DynamoDB to embed .*install Java 17 or later.*npm install.*\.$/,
    );
  });

  it('finds no Java on a machine without one', async () => {
    vi.stubEnv('PATH', '/nowhere');
    vi.stubEnv('JAVA_HOME', '');
    await expect(startDynamoDb({ dataDir: ':memory:', engine: 'java' })).rejects.toThrow('it found no Java');
  });
});

describe('the version of Java', () => {
  it.each([
    ['openjdk version "17.0.15" 2025-04-15', 17],
    ['java version "1.8.0_402"', 8],
    ['openjdk version "25" 2025-09-16', 25],
    ['No Java runtime present', undefined],
  ])('of %s is %s', (output, version) => {
    expect(majorVersion(output)).toBe(version);
  });
});
