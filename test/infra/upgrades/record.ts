import * as z from 'zod';

import { EVERYTHING, type Templates } from '../synthesize.ts';
import { nameOf } from './names.ts';

/**
 * What of a release an upgrade must leave as it is (`docs/decisions/0162-stacks.md`): of each stack a template, though
 * not a whole one, for `cdk diff` to read.
 */

/** Settings of the stage that is recorded: with all that it can have, and one key of tokens, for these come and go. */
export const RECORDED: Readonly<Record<string, string>> = { ...EVERYTHING, tokenKeys: '1' };

const declaredSchema = z.object({
  Type: z.string(),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
  Properties: z.record(z.string(), z.unknown()).default({}),
});
type Declared = z.infer<typeof declaredSchema>;

const templateSchema = z.object({
  Resources: z.record(z.string(), declaredSchema),
  Outputs: z.record(z.string(), z.unknown()).default({}),
});

const stackSchema = z.object({ Resources: z.record(z.string(), declaredSchema) });
export type StackRecord = z.infer<typeof stackSchema>;

export const recordSchema = z.object({
  release: z.string(),
  stacks: z.object({ data: stackSchema, application: stackSchema, api: stackSchema, operations: stackSchema }),
});
export type ReleaseRecord = z.infer<typeof recordSchema>;

export const recordOf = ({ data, application, api, operations }: Templates, release: string): ReleaseRecord => ({
  release,
  stacks: {
    data: stackRecordOf(data.toJSON()),
    application: stackRecordOf(application.toJSON()),
    api: stackRecordOf(api.toJSON()),
    operations: stackRecordOf(operations.toJSON()),
  },
});

/**
 * What outlives its stack and what the outputs tell others of; and whatever has a name, which is taken as long as it is
 * there, with what the name is made of.
 */
function stackRecordOf(template: unknown): StackRecord {
  const { Resources, Outputs } = templateSchema.parse(template);
  const told = JSON.stringify(Outputs);
  const inNames = JSON.stringify(Object.values(Resources).map(nameOf));
  const kept = Object.entries(Resources).flatMap(([id, resource]): [string, Declared][] => {
    const { Type, DeletionPolicy } = resource;
    const isNamed = nameOf(resource) !== undefined;
    const isHeld = DeletionPolicy !== undefined || WHOLE.includes(Type) || told.includes(`"${id}"`);
    if (isHeld || (!isNamed && inNames.includes(`"${id}"`)))
      return [[id, { ...policiesOf(resource), Properties: identityOf(resource) }]];
    return isNamed ? [[id, { Type, Properties: namesOf(resource) }]] : [];
  });
  return { Resources: Object.fromEntries(kept.toSorted(byId)) };
}

/**
 * Kept by CloudFormation or not, they are made again only with harm: mails to confirm, tokens that nobody can check.
 */
const WHOLE: readonly string[] = ['AWS::KMS::Key', 'AWS::SNS::Subscription', 'AWS::SNS::Topic'];

const policiesOf = ({ Type, DeletionPolicy, UpdateReplacePolicy }: Declared): Omit<Declared, 'Properties'> =>
  DeletionPolicy === undefined ? { Type } : { Type, DeletionPolicy, UpdateReplacePolicy };

/** Without what any release changes: tags, the document of the API, and rights of roles. */
const identityOf = ({
  Properties: { Tags: _, Body: __, Policies: ___, ...others },
}: Declared): Declared['Properties'] => others;

/** The properties that its name is made of. */
function namesOf(resource: Declared): Declared['Properties'] {
  const name = nameOf(resource);
  const isPart = (value: unknown): boolean =>
    value === name || (resource.Type === ALIAS && JSON.stringify(name).includes(JSON.stringify(value)));
  return Object.fromEntries(Object.entries(resource.Properties).filter(([, value]) => isPart(value)));
}

const ALIAS = 'AWS::Lambda::Alias';

const byId = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number => (one < other ? -1 : 1);

/** One line for each resource. */
export function textOf({ release, stacks }: ReleaseRecord): string {
  const ofStacks = Object.entries(stacks).map(([part, { Resources }]) => {
    const lines = Object.entries(Resources).map(
      ([id, resource]) => `        ${JSON.stringify(id)}: ${JSON.stringify(resource)}`,
    );
    return `    "${part}": {\n      "Resources": {\n${lines.join(',\n')}\n      }\n    }`;
  });
  return `{\n  "release": ${JSON.stringify(release)},\n  "stacks": {\n${ofStacks.join(',\n')}\n  }\n}\n`;
}
