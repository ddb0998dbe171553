import { exec } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import lockFile from '../../package-lock.json' with { type: 'json' };

/** What `npm run sbom` writes, against the lock file. */

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

const label = ({ name, version }: { readonly name: string; readonly version?: string }): string => `${name}@${version}`;

const locked = Object.entries(lockFile.packages as Readonly<Record<string, Locked>>).flatMap(([path, entry]) =>
  path.includes('node_modules/') && !entry.link ? [{ ...entry, name: path.replace(/^.*node_modules\//, '') }] : [],
);

it('the bill of materials has everything that may be deployed, in its version, and marks nothing of it as for development', async () => {
  const command = manifest.scripts.sbom.replace(' > sbom.json', '');
  const { stdout } = await promisify(exec)(command, { cwd: join(import.meta.dirname, '../..'), maxBuffer: 2 ** 26 });
  const { components } = JSON.parse(stdout) as { readonly components: readonly Component[] };
  const isMarked = ({ properties }: Component): boolean =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
  const marked = components.filter(isMarked).map(label);
  expect(marked).toEqual(expect.arrayContaining([expect.stringMatching(/^vitest@/)]));

  // npm marks for development what a package for development also has inside it in the same version.
  const inside = new Set(locked.filter(({ dev, inBundle }) => dev && inBundle).map(label));
  const deployable = locked.filter((each) => !(each.dev || each.devOptional || inside.has(label(each))));
  const listed = components.map(label).filter((each) => !marked.includes(each));
  for (const each of deployable) if (!each.optional) expect(listed).toContain(label(each));
  for (const each of deployable) expect(marked).not.toContain(label(each));
  for (const name of Object.keys(manifest.dependencies)) expect(deployable.map((each) => each.name)).toContain(name);
  for (const { purl } of components) expect(purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/);
});

it('the lock file has a hash of each package, which npm compares with what it installs', () => {
  const own = locked.filter(({ inBundle }) => !inBundle);
  expect(own.length).toBeGreaterThan(100);
  expect(own.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(label)).toEqual([]);
});
