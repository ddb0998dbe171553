import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withContracts } from '../../generate/specification/page.ts';
import { operations } from '../support/scenario.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/specification.md'), 'utf8');

describe('docs/specification.md', () => {
  it('has the tables that the contracts make', () => {
    const isCurrent = withContracts(page) === page;
    expect(isCurrent, 'docs/specification.md is not what the contracts say: run `npm run docs` and commit it').toBe(
      true,
    );
  });

  it('names the endpoints of the contracts, all of them and no others', () => {
    const named = Array.from(
      page.matchAll(/`((?:GET|POST|PATCH|PUT|DELETE) \/[^`?]*)/g),
      ([, endpoint = '']) => endpoint,
    );
    // Short forms in descriptions leave the prefix out.
    const whole = named.map((endpoint) => endpoint.replace(/ \/(?!api\/v1\/|\.well-known\/)/, ' /api/v1/'));
    const declared = operations.map(([, { method, path }]) => `${method} ${path}`);
    expect([...new Set(whole)].toSorted(), 'run `npm run docs`, and look at the text between the tables').toEqual(
      declared.toSorted(),
    );
  });

  it('has the nine sections that comments name', () => {
    const sections = Array.from(page.matchAll(/^## (\d)\. (.*)$/gm), ([, number, title]) => `${number} ${title}`);
    expect(sections).toEqual([
      '1 What the service does',
      '2 Resources and their fields',
      '3 States and transitions',
      '4 Endpoints',
      '5 Authentication',
      '6 Events',
      '7 Errors',
      '8 Limits',
      '9 Versioning',
    ]);
  });
});
