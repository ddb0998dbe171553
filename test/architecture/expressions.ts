import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { vi } from 'vitest';
import { parseAst } from 'vitest/node';
import * as z from 'zod';
import { freshModule } from '../support/fresh-module.ts';

/** The regular expressions of the source: literals, those of zod, and those that are made at run time. */

export const ROOT = join(import.meta.dirname, '../..');

export interface Expression {
  readonly file: string;
  readonly expression: RegExp;
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Found {
  readonly literals: readonly Expression[];
  /** Of formats such as `z.email()`, and of `z.regexes`. */
  readonly ofZod: readonly Expression[];
  /** Files with `RegExp(…)`, once for each. */
  readonly makers: readonly string[];
}

/** What the files of these folders say. */
export function expressionsIn(folders: readonly string[]): Found {
  const files = globSync(`{${folders.join()}}/**/*.{ts,js,cjs,mjs}`, { cwd: ROOT });
  const isOurs = (file: string): boolean => !file.includes('node_modules') && !/^packages\/[^/]+\/test\//.test(file);
  const found = files.filter(isOurs).map(expressionsOf);
  return {
    literals: found.flatMap(({ literals }) => literals),
    ofZod: found.flatMap(({ ofZod }) => ofZod),
    makers: found.flatMap(({ makers }) => makers),
  };
}

function expressionsOf(file: string): Found {
  const nodes = [
    ...nodesOf(parseAst(readFileSync(join(ROOT, file), 'utf8'), { lang: file.endsWith('.ts') ? 'ts' : 'js' })),
  ];
  const patterns = nodes.map(({ regex }) => regex as { pattern: string; flags: string } | undefined);
  const literals = patterns
    .filter((regex) => regex !== undefined)
    .map(({ pattern, flags }) => new RegExp(pattern, flags));
  const zods = nodes.map((node) => zodExpression(node)).filter((expression) => expression !== undefined);
  const of = (expressions: readonly RegExp[]) => expressions.map((expression) => ({ file, expression }));
  return { literals: of(literals), ofZod: of(zods), makers: nodes.filter(makesOne).map(() => file) };
}

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) yield value as Node;
  for (const field of Object.values(value)) yield* nodesOf(field);
}

const makesOne = ({ type, callee }: Node): boolean =>
  /^(New|Call)Expression$/.test(type) && (callee as Node).name === 'RegExp';

/** The expression of `z.regexes.html5Email`, and of a call like `z.email()` that names no `pattern` of its own. */
function zodExpression({ type, callee, object, property, arguments: given }: Node): RegExp | undefined {
  if (type === 'MemberExpression' && nameOf(object) === 'z.regexes') {
    const regex = (z.regexes as Record<string, unknown>)[(property as Node).name as string];
    return regex instanceof RegExp ? regex : undefined;
  }
  const [, format] = type === 'CallExpression' ? (/^z\.(\w+)$/.exec(nameOf(callee) ?? '') ?? []) : [];
  const isReplaced = [...nodesOf(given)].some(({ key }) => (key as Node | undefined)?.name === 'pattern');
  return format === undefined || isReplaced ? undefined : patternOf(format);
}

/** `a.b` of an expression that is that. */
const nameOf = (value: unknown): string | undefined => {
  const { type, object, property } = value as Node;
  return type === 'MemberExpression' ? `${(object as Node).name}.${(property as Node).name}` : undefined;
};

function patternOf(format: string): RegExp | undefined {
  const make = (z as unknown as Record<string, unknown>)[format];
  try {
    return typeof make === 'function' ? make()._zod.def.pattern : undefined;
  } catch {
    // It makes what has no format, and wants arguments.
    return undefined;
  }
}

/**
 * Loads these files again and does some work; returns the expressions that our code makes meanwhile with `RegExp(…)`.
 */
export async function expressionsMadeBy(files: readonly string[], work: () => Promise<void>): Promise<Expression[]> {
  const made: Expression[] = [];
  class Recorded extends RegExp {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      const [, , caller = ''] = (new Error().stack ?? '').split('\n');
      const [, path] = /(\/[^:?]*)[^:]*:\d+:\d+\)?$/.exec(caller) ?? [];
      if (path !== undefined) made.push({ file: relative(ROOT, path), expression: this });
    }
  }
  vi.stubGlobal('RegExp', Recorded);
  try {
    for (const file of files) await freshModule(file);
    await work();
  } finally {
    vi.unstubAllGlobals();
  }
  return made;
}
