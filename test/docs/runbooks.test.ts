import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as dynamoDb from '@aws-sdk/client-dynamodb';
import * as kms from '@aws-sdk/client-kms';
import { schema } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { resourceTree, splitPath } from '../../local/gateway/resources.ts';
import { mistakesIn } from './operator-calls.ts';

/** The commands, options, settings and routes in the runbooks of `docs/operations.md` exist. */

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const runbooks = (read('docs/operations.md').split(/^## Runbooks$/m)[1] ?? '').replaceAll('\\\n', ' ');

/** Each call of a command, up to the end of its line, its code or its substitution. */
const callsOf = (pattern: string): string[][] =>
  Array.from(runbooks.matchAll(new RegExp(`${pattern} ([^\n\`]*)`, 'g')), ([, rest = '']) =>
    rest
      .replaceAll(/\$\([^)]*\)/g, '')
      .replace(/ +#.*/, '')
      .split(/ +/),
  );

const optionsIn = (words: readonly string[]): string[] => words.filter((word) => word.startsWith('--'));

/** `restore-table-to-point-in-time` → `RestoreTableToPointInTime`; the SDK spells some parts in capitals. */
const pascal = (words: string): string =>
  words.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()).replace(/^Sse/, 'SSE');

describe('the operator’s commands', () => {
  const calls = callsOf('npx custodia');
  it.each(calls.map((words) => [words.join(' '), words] as const))('%s', (_, words) => {
    expect(mistakesIn(words)).toEqual([]);
  });

  it('are more than a few', () => expect(calls.length).toBeGreaterThan(8));
});

describe('the settings', () => {
  it('are in infra/settings.ts', () => {
    const named = Array.from(runbooks.matchAll(/-c (\w+)=/g), ([, name = '']) => name);
    const schema = Array.from(read('infra/settings.ts').matchAll(/^ {2}(\w+): /gm), ([, name = '']) => name);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !schema.includes(name))).toEqual([]);
  });
});

describe('the routes', () => {
  const find = resourceTree(contracts);
  const called = Array.from(
    runbooks.matchAll(/curl (?:-X (\w+) )?"\$API(\/[^"?]*)|`(GET|POST|PATCH) (\/api\/v1\/[^`]*)`/g),
    ([, method, path, other, another]) => [method ?? other ?? 'GET', path ?? another ?? ''] as const,
  );

  it.each(called)('%s %s', (method, path) => {
    const match = find(splitPath(path).map((raw) => ({ raw, decoded: raw })));
    expect(match?.resource.methods.has(method)).toBe(true);
  });

  it('are more than a few', () => expect(called.length).toBeGreaterThan(7));
});

describe('AWS’s commands', () => {
  const SDKS: Readonly<Record<string, object>> = { dynamodb: dynamoDb, kms };
  /** Of services whose SDK is not installed: read in their reference. */
  const OTHERS = ['apigateway', 'backup', 'lambda', 'resourcegroupstaggingapi'];
  const GLOBAL = ['--query', '--output', '--region'];
  const calls = Array.from(runbooks.matchAll(/\baws ([a-z]+) ([a-z-]+)((?: [^\n`]*)?)/g)).map(
    ([, service = '', operation = '', rest = '']) => {
      // Up to the end of its own substitution, and without those in it.
      const own = rest
        .replaceAll(/"\$\([^)]*\)"/g, '""')
        .replace(/\).*/, '')
        .replace(/ +#.*/, '');
      return [service, operation, optionsIn(own.split(/ +/))] as const;
    },
  );

  it('are of services that are known', () => {
    const services = calls.map(([service]) => service).filter((service) => service !== 'reference');
    expect(new Set(services)).toEqual(new Set([...Object.keys(SDKS), ...OTHERS]));
    expect(services.length).toBeGreaterThan(15);
  });

  it.each(calls.filter(([service]) => service in SDKS))('aws %s %s %s', (service, operation, options) => {
    if (operation === 'wait') return void expect(dynamoDb.waitUntilTableExists).toBeTypeOf('function');
    const sdk = SDKS[service] as Record<string, readonly unknown[] | undefined>;
    const input = sdk[`${pascal(operation)}Input$`] ?? sdk[`${pascal(operation)}Request$`];
    const members = (input?.[4] ?? []) as string[];
    const own = options.filter((option) => !GLOBAL.includes(option)).map((option) => pascal(option.slice(2)));
    expect(own.filter((each) => !members.includes(each))).toEqual([]);
    expect(own.length).toBeGreaterThan(0);
  });

  it('name the attribute by which items expire', () => {
    expect(runbooks).toContain(`AttributeName=${schema.TTL}\n`);
  });
});
