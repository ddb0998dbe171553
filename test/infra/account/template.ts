import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** A synthesized template with its intrinsic functions worked out, as if it had been deployed into an account of the tests. */

const ACCOUNT = '111122223333';
const REGION = 'eu-west-1';

const resourceSchema = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })),
});
type Template = z.infer<typeof templateSchema>;

export interface Deployed {
  readonly resources: ReadonlyMap<string, z.infer<typeof resourceSchema>>;
  readonly outputs: Readonly<Record<string, string>>;
  /** Name of the one table. */
  readonly tableName: string;
  readonly tableArn: string;
}

/** The stack of an assembly directory. */
export function deployed(assembly: string, stack: string): Deployed {
  const template = templateSchema.parse(JSON.parse(readFileSync(join(assembly, `${stack}.template.json`), 'utf8')));
  const resources = new Map(
    Object.entries(template.Resources).map(([id, { Type, Properties }]) => [
      id,
      { Type, Properties: workOut(Properties, template) as Record<string, unknown> },
    ]),
  );
  const outputs = Object.entries(template.Outputs).map(([id, { Value }]) => [id, String(workOut(Value, template))]);
  const named: Record<string, string> = Object.fromEntries(outputs);
  const { TableName: tableName = '' } = named;
  return { resources, outputs: named, tableName, tableArn: tableArnOf(tableName) };
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** `Ref` is the logical id, which stands for the name; of an alias it is the ARN. */
function workOut(value: unknown, template: Template): unknown {
  if (Array.isArray(value)) return value.map((each) => workOut(each, template));
  if (typeof value !== 'object' || value === null) return value;
  const {
    Ref: ref,
    'Fn::GetAtt': attribute,
    'Fn::Join': join,
    'Fn::Split': split,
    'Fn::Select': select,
  } = value as Record<string, unknown>;
  if (typeof ref === 'string') return PSEUDO[ref] ?? (isAlias(ref, template) ? arnOf(ref, template) : ref);
  if (Array.isArray(attribute))
    return attribute[1] === 'Arn' ? arnOf(String(attribute[0]), template) : attribute.join();
  if (Array.isArray(join)) return (workOut(join[1], template) as unknown[]).join(String(join[0]));
  if (Array.isArray(split)) return String(workOut(split[1], template)).split(String(split[0]));
  if (Array.isArray(select)) return (workOut(select[1], template) as unknown[])[Number(select[0])];
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, workOut(each, template)]));
}

const isAlias = (id: string, { Resources }: Template): boolean => Resources[id]?.Type === 'AWS::Lambda::Alias';

const tableArnOf = (name: string): string => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`;

function arnOf(id: string, template: Template): string {
  const { Type, Properties } = template.Resources[id] ?? { Type: '', Properties: {} };
  switch (Type) {
    case 'AWS::IAM::Role':
      return `arn:aws:iam::${ACCOUNT}:role${String(workOut(Properties.Path ?? '/', template))}${id}`;
    case 'AWS::DynamoDB::GlobalTable':
      return tableArnOf(id);
    case 'AWS::KMS::Key':
      return `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`;
    case 'AWS::Lambda::Function':
      return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${String(Properties.FunctionName)}`;
    case 'AWS::Lambda::Alias':
      return `${arnOf(String(workOut(Properties.FunctionName, template)), template)}:${String(Properties.Name)}`;
    default:
      return `arn:aws:any:${REGION}:${ACCOUNT}:${id}`;
  }
}
