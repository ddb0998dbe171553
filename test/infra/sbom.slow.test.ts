import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

/** What `npm run sbom` writes, against the lock file. */

const ROOT = join(import.meta.dirname, '../..');

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  /** Comes inside another package, and with its hash. */
  readonly inBundle?: boolean;
  /** Only for development. */
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  /** May be missing on this machine. */
  readonly optional?: boolean;
  /** The client's package, which is of this repository. */
  readonly link?: boolean;
}

const isForDevelopment = ({ properties }: Component): boolean =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

const label = ({ name, version }: { readonly name: string; readonly version?: string }): string => `${name}@${version}`;

/** `node_modules/a/node_modules/@b/c` is `@b/c`. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe('the bill of materials', () => {
  let components: readonly Component[];
  let locked: readonly (Locked & { readonly name: string })[];
  beforeAll(async () => {
    const command = manifest.scripts.sbom.replace(' > sbom.json', '');
    const { stdout } = await promisify(exec)(command, { cwd: ROOT, maxBuffer: 2 ** 26 });
    const { bomFormat, components: listed } = JSON.parse(stdout);
    expect(bomFormat).toBe('CycloneDX');
    components = listed;
    const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
      readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
    );
    locked = Object.entries(lock.packages).flatMap(([path, entry]) =>
      path.includes('node_modules/') && !entry.link ? [{ ...entry, name: nameOf(path) }] : [],
    );
  });

  /** What may be deployed. npm marks for development what a package for development also has inside it in the same version. */
  const deployable = (): string[] => {
    const inside = new Set(locked.filter(({ dev, inBundle }) => dev && inBundle).map(label));
    return locked
      .filter(({ dev, devOptional }) => !(dev || devOptional))
      .map(label)
      .filter((each) => !inside.has(each));
  };

  it('has everything that may be deployed, in its version', () => {
    const optional = new Set(locked.filter((each) => each.optional).map(label));
    const deployed = deployable().filter((each) => !optional.has(each));
    expect(deployed.length).toBeGreaterThanOrEqual(Object.keys(manifest.dependencies).length);
    const listed = new Set(components.filter((component) => !isForDevelopment(component)).map(label));
    expect(deployed.filter((each) => !listed.has(each))).toEqual([]);
    expect(
      Object.keys(manifest.dependencies).filter((name) => !deployed.some((each) => each.startsWith(`${name}@`))),
    ).toEqual([]);
  });

  it('marks what is for development alone', () => {
    const marked = components.filter(isForDevelopment).map(label);
    expect(marked).toEqual(expect.arrayContaining([expect.stringMatching(/^vitest@/)]));
    const deployed = new Set(deployable());
    expect(marked.filter((each) => deployed.has(each))).toEqual([]);
  });

  it('has a hash of each package, which npm compares with what it installs', () => {
    const own = locked.filter(({ inBundle }) => !inBundle);
    expect(own.length).toBeGreaterThan(100);
    expect(own.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(label)).toEqual([]);
  });

  it('names each package as others look it up', () => {
    for (const { purl } of components) expect(purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/);
  });
});
