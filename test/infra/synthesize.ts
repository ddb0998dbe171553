import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { contracts } from '../../functions/all-contracts.ts';
import type { Bundles } from '../../infra/bundling/bundle.ts';
import { functionNames } from '../../infra/functions.ts';
import { settingsFrom } from '../../infra/settings.ts';
import { CustodiaStack } from '../../infra/stack.ts';
import type { Contract } from '../../shared/contract/route.ts';

/** Bundles without anything in them, for tests that only look at the template. */
export function emptyBundles(names: readonly string[], directory: string): Bundles {
  return new Map(
    names.map((name) => {
      const bundle = join(directory, 'bundles', name);
      mkdirSync(bundle, { recursive: true });
      writeFileSync(join(bundle, 'index.mjs'), `export const handler = async () => '${name}';\n`);
      return [name, bundle];
    }),
  );
}

export interface SynthesizeOptions {
  readonly context?: Readonly<Record<string, unknown>>;
  readonly served?: readonly Contract[];
  /** Changes the stack before it is written. */
  readonly change?: (stack: CustodiaStack) => void;
}

const cdkJson = readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8');

/** The context of `cdk.json`, which only the `cdk` command reads by itself. */
export const CDK_CONTEXT = z.object({ context: z.record(z.string(), z.unknown()) }).parse(JSON.parse(cdkJson)).context;

/** Settings with which a stack has all that it can have. Functions that stand by are in `SMALL`: there are none with canaries. */
export const EVERYTHING: Readonly<Record<string, string>> = {
  alarmEmail: 'ops@example.com',
  backupRetentionDays: '90',
  corsOrigins: 'https://app.example.com,https://admin.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a60',
  deployment: 'canary',
  domainName: 'api.example.com',
  firstKey: 'true',
  metricsByRoute: 'true',
  reservedConcurrency: 'authorizer:100',
  tokenKeys: '2,1',
  tracing: 'true',
};

/** Settings with which a stack has least, and what it cannot have with everything. */
export const SMALL: Readonly<Record<string, string>> = {
  profile: 'small',
  provisionedConcurrency: 'authorizer:2,clients:5',
};

/** Templates of the whole stack by what it sets: several tests look at the same one. */
const templates = new Map<string, Template>();

/** The stack's template, with empty functions. Nobody may change what is in it. */
export function synthesize(options: SynthesizeOptions = {}): Template {
  const { context = {}, served, change } = options;
  if (served !== undefined || change !== undefined) return assemble(options, (template) => template);
  const name = JSON.stringify(context);
  const template = templates.get(name) ?? assemble(options, (made) => made);
  templates.set(name, template);
  return template;
}

/** What `read` makes of the stack's template and of the assembly, whose directory is removed after it. */
export function assemble<T>(options: SynthesizeOptions, read: (template: Template, directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'custodia-'));
  try {
    return read(synthesizeInto(directory, options), directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function synthesizeInto(outdir: string, { context = {}, served = contracts, change }: SynthesizeOptions): Template {
  const app = new App({ outdir, context: { ...CDK_CONTEXT, ...context } });
  const bundles = emptyBundles(functionNames(served), outdir);
  const stack = new CustodiaStack(app, 'custodia-test', {
    contracts: served,
    bundles,
    settings: settingsFrom(app.node),
  });
  change?.(stack);
  return Template.fromStack(stack);
}

const statementSchema = z.object({
  Effect: z.string(),
  Action: z.union([z.string(), z.array(z.string())]).transform((actions) => [actions].flat()),
  Resource: z.unknown().optional(),
  Principal: z.unknown().optional(),
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
});

export type Statement = z.infer<typeof statementSchema> & {
  /** Logical id of the resource whose policy this is a part of. */
  readonly of: string;
};

/** Every policy statement anywhere in the template. */
export function statementsIn(template: Template): readonly Statement[] {
  const found: Statement[] = [];
  const search = (value: unknown, of: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const statements = (value as { Statement?: unknown }).Statement;
    if (Array.isArray(statements)) found.push(...statements.map((each) => ({ ...statementSchema.parse(each), of })));
    for (const child of Object.values(value)) search(child, of);
  };
  for (const [id, resource] of Object.entries(resourcesIn(template))) search(resource, id);
  return found;
}

const resourceSchema = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
export type Resource = z.infer<typeof resourceSchema>;

export const resourcesIn = (template: Template): Readonly<Record<string, Resource>> =>
  z.record(z.string(), resourceSchema).parse(template.toJSON().Resources);

export const resourcesOf = (template: Template, type: string): readonly (readonly [id: string, resource: Resource])[] =>
  Object.entries(resourcesIn(template)).filter(([, resource]) => resource.Type === type);
