import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import type { Contract } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import type { Bundles } from '../../infra/bundling/bundle.ts';
import { bundleNames } from '../../infra/functions.ts';
import { settingsFrom } from '../../infra/settings.ts';
import { makeStage, type Stage } from '../../infra/stacks/stage.ts';
import { type StackPart, stackName } from '../../infra/stacks/stage-stack.ts';
import { type Deployed, deployed } from './account/template.ts';

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
  /** Changes the stacks before they are written. */
  readonly change?: (stage: Stage) => void;
  /**
   * Throws what CDK's own rules find in the templates. They take four fifths of a synthesis, so `nag.test.ts` alone
   * asks for them.
   */
  readonly validate?: boolean;
}

const cdkJson = readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8');

/** The context of `cdk.json`, which only the `cdk` command reads by itself. */
export const CDK_CONTEXT = z.object({ context: z.record(z.string(), z.unknown()) }).parse(JSON.parse(cdkJson)).context;

/** Settings with which a stack has all that it can have. */
export const EVERYTHING: Readonly<Record<string, string>> = {
  alarmEmail: 'ops@example.com',
  alarmTopicArn: 'arn:aws:sns:eu-west-1:111122223333:pagers',
  backupCopyVaults: 'arn:aws:backup:eu-central-1:444455556666:backup-vault:custodia',
  backupRetentionDays: '90',
  corsOrigins: 'https://app.example.com,https://admin.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a60',
  deployment: 'canary',
  domainName: 'api.example.com',
  firstKey: 'true',
  operatorPrincipals:
    'arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/*/AWSReservedSSO_Operators_*,arn:aws:iam::444455556666:user/eva',
  permissionsBoundaryArn: 'arn:aws:iam::111122223333:policy/boundary',
  requireMfa: 'true',
  tokenKeys: '2,1',
  tableKey: 'customer',
  ticketWords: 'off',
  warmThroughput: '24000:8000',
};

/** Settings with which a stack has least. */
export const SMALL: Readonly<Record<string, string>> = {
  profile: 'small',
};

/** Settings that put something of the account in the place of a stage's own. */
export const BROUGHT = {
  webAclArn: 'arn:aws:wafv2:eu-west-1:111122223333:regional/webacl/ours/0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a60',
  restoredTable: 'custodia-prod-2026-11-20T0929',
  restoredTableStreamArn:
    'arn:aws:dynamodb:eu-west-1:111122223333:table/custodia-prod-2026-11-20T0929/stream/2026-11-20T10:02:11.512',
  secretsKeyArn: 'arn:aws:kms:eu-west-1:111122223333:key/mrk-0b6f7a521c6e4a3d9f587d2c4e1b9a60',
} as const satisfies Readonly<Record<string, string>>;

/** Numbers that no profile has by default. */
const NUMBERS: Readonly<Record<string, string>> = {
  addressLimit: '20000',
  attachmentQuotaGb: '20',
  auditRetentionDays: '30',
  authorizerCacheSeconds: '30',
  deliveryConcurrency: '200',
  logRetentionDays: '30',
  memory: '1536',
  rateLimit: '700',
  throttleRate: '400',
  webhookToleranceSeconds: '300',
};

/**
 * The stages that are looked at as a whole: as it is by default, with all that can be set, and with as little of its
 * own as can be.
 */
export const PROFILES: Readonly<Record<'default' | 'everything' | 'small', Readonly<Record<string, string>>>> = {
  default: {},
  everything: { ...EVERYTHING, ...NUMBERS },
  small: { ...SMALL, ...BROUGHT },
};

/**
 * The stage that is synthesized where the context names none, and its stacks, in the order in which they are deployed.
 */
export const STAGE = 'dev';
export const PARTS: readonly StackPart[] = ['data', 'application', 'api', 'operations'];
export const STACKS = PARTS.map((part) => stackName(STAGE, part));

/** Of each stack of a stage. */
export type Templates = Readonly<Record<StackPart, Template>>;

/** Templates of whole stages by what they set: several tests look at the same ones. */
const stages = new Map<string, Templates>();

/** The templates of a stage's stacks, with empty functions. Nobody may change what is in them. */
export function synthesize(options: SynthesizeOptions = {}): Templates {
  const { context = {}, served, change, validate } = options;
  if (served !== undefined || change !== undefined || validate) return assemble(options, (templates) => templates);
  const name = JSON.stringify(context);
  const templates = stages.get(name) ?? assemble(options, (made) => made);
  stages.set(name, templates);
  return templates;
}

/** What `read` makes of the stacks' templates and of the assembly, whose directory is removed after it. */
export function assemble<T>(options: SynthesizeOptions, read: (templates: Templates, directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'custodia-'));
  try {
    return read(synthesizeInto(directory, options), directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function synthesizeInto(
  outdir: string,
  { context = {}, served = contracts, change, validate = false }: SynthesizeOptions,
): Templates {
  const app = new App({
    outdir,
    context: { ...CDK_CONTEXT, ...context },
    builtinCloudFormationValidation: validate,
  });
  const bundles = emptyBundles(bundleNames(served), outdir);
  const stage = makeStage(app, { contracts: served, bundles, settings: settingsFrom(app.node) });
  change?.(stage);
  const { data, application, api, operations } = stage;
  return {
    data: Template.fromStack(data),
    application: Template.fromStack(application),
    api: Template.fromStack(api),
    operations: Template.fromStack(operations),
  };
}

/**
 * A stage with references worked out, for the stage that is synthesized where the context names none. Nobody may change
 * what is in it.
 */
export function stageOf(templates: Templates): Deployed {
  const known = workedOut.get(templates);
  const stage = known ?? deployed(new Map(PARTS.map((part) => [stackName(STAGE, part), templates[part].toJSON()])));
  workedOut.set(templates, stage);
  return stage;
}
const workedOut = new WeakMap<Templates, Deployed>();

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

/** Every policy statement anywhere in a template, or in those of all stacks. */
export function statementsIn(of: Template | Templates): readonly Statement[] {
  const found: Statement[] = [];
  const search = (value: unknown, of: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const statements = (value as { Statement?: unknown }).Statement;
    if (Array.isArray(statements)) found.push(...statements.map((each) => ({ ...statementSchema.parse(each), of })));
    for (const child of Object.values(value)) search(child, of);
  };
  for (const [id, resource] of Object.entries(resourcesIn(of))) search(resource, id);
  return found;
}

const resourceSchema = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
export type Resource = z.infer<typeof resourceSchema>;

export const templatesIn = (of: Template | Templates): readonly Template[] =>
  of instanceof Template ? [of] : PARTS.map((part) => of[part]);

/** By their logical ids, which no two stacks share. */
export const resourcesIn = (of: Template | Templates): Readonly<Record<string, Resource>> =>
  Object.assign(
    {},
    ...templatesIn(of).map((each) => z.record(z.string(), resourceSchema).parse(each.toJSON().Resources)),
  );

export const resourcesOf = (
  of: Template | Templates,
  type: string,
): readonly (readonly [id: string, resource: Resource])[] =>
  Object.entries(resourcesIn(of)).filter(([, resource]) => resource.Type === type);
