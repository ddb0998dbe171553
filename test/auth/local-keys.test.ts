import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureLocalKeys, issueToken, verifyToken } from '#auth';
import { readLocalKeys } from '../../shared/auth/local-keys.ts';
import { SetupError } from '../../shared/errors.ts';
import { freshDirectory } from '../support/directory.ts';

const identity = { integrationId: crypto.randomUUID(), appCode: 'acme', orgId: null, tokenEpoch: 0, secretId: null };

describe('the key file', () => {
  it('is made once, for its owner only, and then kept', async () => {
    const directory = join(await freshDirectory(), 'new');
    const path = join(directory, 'keys.json');
    await ensureLocalKeys(path);
    const before = await readFile(path, 'utf8');
    await ensureLocalKeys(path);
    expect(await readFile(path, 'utf8')).toBe(before);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['keys.json']);

    await chmod(path, 0o644);
    await ensureLocalKeys(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is one and the same for all who make it at once', async () => {
    const directory = await freshDirectory();
    const path = join(directory, 'keys.json');
    const all = await Promise.all(
      Array.from({ length: 20 }, async () => {
        await ensureLocalKeys(path);
        return (await readLocalKeys(path)).signer.kid;
      }),
    );
    expect(new Set(all).size).toBe(1);
    expect(await readdir(directory)).toEqual(['keys.json']);
  });

  it('holds keys that sign and verify, the first of which signs', async () => {
    const directory = await freshDirectory();
    const [old, both] = [join(directory, 'old.json'), join(directory, 'both.json')];
    await Promise.all([ensureLocalKeys(old), ensureLocalKeys(both)]);
    const [oldFile, newFile] = await Promise.all(
      [old, both].map(async (path) => JSON.parse(await readFile(path, 'utf8'))),
    );
    await writeFile(both, JSON.stringify({ ...newFile, signing: [...newFile.signing, ...oldFile.signing] }));

    const rotated = await readLocalKeys(both);
    expect(rotated.signer.kid).toBe(rotated.published[0]?.kid);
    const token = await issueToken(identity, Date.now(), (await readLocalKeys(old)).signer);
    await expect(verifyToken(token, Date.now(), rotated.published)).resolves.toMatchObject(identity);
  });

  it('publishes nothing private', async () => {
    const path = join(await freshDirectory(), 'keys.json');
    await ensureLocalKeys(path);
    for (const key of (await readLocalKeys(path)).published) {
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    }
  });

  it.each([
    ['empty', () => ''],
    ['cut', (text: string) => text.slice(0, 40)],
    ['another JSON', () => '[]'],
    ['without a signing key', (text: string) => JSON.stringify({ ...JSON.parse(text), signing: [] })],
    ['with a short key of secrets', (text: string) => JSON.stringify({ ...JSON.parse(text), secrets: 'AAAA' })],
    ['with halves of two keys', (text: string) => text.replace(/"x": "[^"]+"/, `"x": "${'A'.repeat(43)}"`)],
  ])('is refused in one sentence when it is %s', async (_, damage) => {
    const path = join(await freshDirectory(), 'keys.json');
    await ensureLocalKeys(path);
    const text = await readFile(path, 'utf8');
    await writeFile(path, damage(text));
    const failure = await ensureLocalKeys(path).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SetupError);
    expect((failure as Error).message).toMatch(/^The key file .*keys\.json is damaged \([^\n]+\.$/);
    expect((failure as Error).message).not.toContain(JSON.parse(text).secrets);
  });

  it('says so in one sentence when it cannot be made', async () => {
    const file = join(await freshDirectory(), 'file');
    await writeFile(file, '');
    await chmod(file, 0o400);
    await expect(ensureLocalKeys(join(file, 'keys.json'))).rejects.toThrow(/^The key file .* cannot be made/);
  });
});
