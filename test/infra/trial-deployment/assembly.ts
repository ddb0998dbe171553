import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { LACKING_TYPES } from './lacking.ts';

/** Changes of a cloud assembly that let an emulator deploy it which lacks some of what AWS has. */

interface Resource {
  readonly Type: string;
  Properties?: Record<string, unknown>;
  DependsOn?: string | string[];
  UpdatePolicy?: Record<string, unknown>;
}

export interface Template {
  Resources: Record<string, Resource>;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const templateFiles = (directory: string): string[] => globSync(join(directory, '*.template.json'));
const read = (file: string): Template => JSON.parse(readFileSync(file, 'utf8'));

/** The types of the resources in an assembly. */
export const typesIn = (directory: string): readonly string[] =>
  [...new Set(templateFiles(directory).flatMap((file) => Object.values(read(file).Resources).map(({ Type }) => Type)))]
    .filter((type) => type.startsWith('AWS::'))
    .toSorted();

/** Changes the templates of an assembly. `withIam`: also the policies, for the lane where they are enforced. */
export function adaptAssembly(directory: string, { withIam }: { readonly withIam: boolean }): void {
  for (const file of templateFiles(directory)) {
    const template = read(file);
    const adapted = adaptTemplate(template, basename(file, '.template.json'));
    if (withIam) adaptPolicies(adapted);
    writeFileSync(file, JSON.stringify(adapted));
  }
}

/** Leaves out what the emulator lacks, with what refers to it, and names log groups as CloudFormation does. */
export function adaptTemplate(template: Template, stack: string): Template {
  const isLacking = ({ Type, Properties }: Resource): boolean =>
    LACKING_TYPES.includes(Type) || (Type === 'AWS::CloudWatch::Alarm' && Properties?.Metrics !== undefined);
  const gone = new Set(Object.keys(template.Resources).filter((id) => isLacking(template.Resources[id] as Resource)));
  const left = Object.entries(template.Resources).filter(([id]) => !gone.has(id));
  for (const [id, resource] of left) {
    const waits = [resource.DependsOn ?? []].flat().filter((other) => !gone.has(other));
    if (waits.length > 0) resource.DependsOn = waits;
    else delete resource.DependsOn;
    if (resource.UpdatePolicy?.CodeDeployLambdaAliasUpdate !== undefined) delete resource.UpdatePolicy;
    if (resource.Type === 'AWS::Logs::LogGroup') {
      resource.Properties = { LogGroupName: `${stack}-${id}-aBcDeFgHiJkL`, ...resource.Properties };
    }
  }
  return { ...template, Resources: withoutReferences(Object.fromEntries(left), gone) as Template['Resources'] };
}

/** Puts a text where something refers to a resource that is left out. */
function withoutReferences(value: unknown, gone: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(each, gone));
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute } = value as Readonly<Record<string, unknown>>;
  const id = Ref ?? [attribute].flat()[0];
  if (typeof id === 'string' && gone.has(id)) return `left-out-${id}`;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutReferences(member, gone)]));
}

/** Changes all policies of a template, where the emulator judges them otherwise than AWS does (`LACKING_OF_IAM`). */
export function adaptPolicies(template: Template): void {
  const adapt = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const document = value as { Statement?: unknown };
    if (Array.isArray(document.Statement)) document.Statement = document.Statement.flatMap(adaptedStatement);
    for (const member of Object.values(value)) adapt(member);
  };
  for (const { Type, Properties } of Object.values(template.Resources)) {
    if (Type.startsWith('AWS::IAM::') || Type === 'AWS::KMS::Key') adapt(Properties);
  }
}

/** Actions that the emulator judges as if they were on no resource. */
const WITHOUT_RESOURCE = /^(backup:|logs:(DescribeLogGroups|StartQuery)$)/;
const UNKNOWN_KEYS = /^(dynamodb:|kms:EncryptionContext)/;

/** A statement without conditions on keys that the emulator does not know; none, where it denies by them. */
function adaptedStatement(statement: Statement): readonly Statement[] {
  const { Condition = {}, ...rest } = statement;
  const known = Object.entries(Condition).flatMap(([operator, keys]) => {
    const left = Object.entries(keys).filter(([key]) => !UNKNOWN_KEYS.test(key));
    return left.length === 0 ? [] : [[operator, Object.fromEntries(left)] as const];
  });
  const isChanged = JSON.stringify(Object.fromEntries(known)) !== JSON.stringify(Condition);
  if (isChanged && statement.Effect === 'Deny') return [];
  const actions = [statement.Action].flat();
  return [
    {
      ...rest,
      ...(actions.includes('sqs:SendMessage') ? { Action: [...actions, 'sqs:SendMessageBatch'] } : {}),
      ...(actions.every((action) => WITHOUT_RESOURCE.test(action)) ? { Resource: '*' } : {}),
      ...(known.length === 0 ? {} : { Condition: Object.fromEntries(known) }),
    },
  ];
}
