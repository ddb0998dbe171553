import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/**
 * Synthesized templates with their intrinsic functions worked out, as if they had been deployed into an account of the
 * tests.
 */

const ACCOUNT = '111122223333';
const REGION = 'eu-west-1';

const resourceSchema = z.looseObject({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
});
type Template = z.infer<typeof templateSchema>;

/** The templates of a stage, by the names of their stacks. */
type Templates = ReadonlyMap<string, Template>;

export interface Deployed {
  readonly resources: ReadonlyMap<string, z.infer<typeof resourceSchema>>;
  readonly outputs: Readonly<Record<string, string>>;
  /** The same, by the names of their stacks, as `cdk deploy --outputs-file` writes them. */
  readonly outputsByStack: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Name of the one table. */
  readonly tableName: string;
  readonly tableArn: string;
}

/** The stacks of an assembly directory, each of which may refer to those before it. */
export const deployedFrom = (assembly: string, stacks: readonly string[]): Deployed =>
  deployed(
    new Map(stacks.map((name) => [name, JSON.parse(readFileSync(join(assembly, `${name}.template.json`), 'utf8'))])),
  );

/** @param stacks templates by the names of their stacks, each of which may refer to those before it */
export function deployed(stacks: ReadonlyMap<string, unknown>): Deployed {
  const templates: Templates = new Map(
    Array.from(stacks, ([name, template]) => [name, templateSchema.parse(template)]),
  );
  const all = [...templates.values()];
  const resources = all.flatMap((template) =>
    Object.entries(template.Resources).map(
      ([id, resource]) => [id, workOut(resource, template, templates) as typeof resource] as const,
    ),
  );
  const byId = new Map(resources);
  if (byId.size < resources.length) throw new Error('two stacks have resources with the same logical id');
  const outputsByStack = Object.fromEntries(
    Array.from(templates, ([name, template]) => [
      name,
      Object.fromEntries(
        Object.entries(template.Outputs).map(([id, { Value }]) => [id, String(workOut(Value, template, templates))]),
      ),
    ]),
  );
  const outputs: Record<string, string> = Object.assign({}, ...Object.values(outputsByStack));
  const { TableName: tableName = '' } = outputs;
  return { resources: byId, outputs, outputsByStack, tableName, tableArn: tableArnOf(tableName) };
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** `Ref` is the logical id, which stands for the name; of an alias it is the ARN, of a queue its address. */
function workOut(value: unknown, template: Template, stage: Templates): unknown {
  if (Array.isArray(value)) return value.map((each) => workOut(each, template, stage));
  if (typeof value !== 'object' || value === null) return value;
  const {
    Ref: ref,
    'Fn::GetAtt': attribute,
    'Fn::GetStackOutput': output,
    'Fn::Join': join,
    'Fn::Split': split,
    'Fn::Select': select,
    'Fn::Sub': text,
  } = value as Record<string, unknown>;
  if (typeof ref === 'string') return PSEUDO[ref] ?? referenceTo(ref, template, stage);
  if (Array.isArray(attribute))
    return attribute[1] === 'Arn' ? arnOf(String(attribute[0]), template, stage) : attribute.join();
  if (output !== undefined) return outputOf(output, stage);
  if (Array.isArray(join)) return (workOut(join[1], template, stage) as unknown[]).join(String(join[0]));
  if (Array.isArray(split)) return String(workOut(split[1], template, stage)).split(String(split[0]));
  if (Array.isArray(select)) return (workOut(select[1], template, stage) as unknown[])[Number(select[0])];
  if (typeof text === 'string') return text.replaceAll(/\$\{([\w:]+)\}/g, (_, name: string) => PSEUDO[name] ?? name);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, workOut(each, template, stage)]));
}

/**
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-getstackoutput.html
 */
function outputOf(output: unknown, stage: Templates): unknown {
  const { StackName, OutputName } = z.object({ StackName: z.string(), OutputName: z.string() }).parse(output);
  const producer = stage.get(StackName);
  const told = producer?.Outputs[OutputName];
  if (producer === undefined || told === undefined) throw new Error(`there is no output ${OutputName} of ${StackName}`);
  return workOut(told.Value, producer, stage);
}

function referenceTo(id: string, template: Template, stage: Templates): string {
  const { Type, Properties } = template.Resources[id] ?? {};
  if (Type === 'AWS::Lambda::Alias') return arnOf(id, template, stage);
  return Type === 'AWS::SQS::Queue' ? queueUrlOf(String(Properties?.QueueName)) : id;
}

const queueUrlOf = (name: string): string => `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`;

/** The ARN of the queue at an address. */
export const queueArnAt = (url: string): string => queueArnOf(url.slice(url.lastIndexOf('/') + 1));
const queueArnOf = (name: string): string => `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;

const tableArnOf = (name: string): string => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`;

function arnOf(id: string, template: Template, stage: Templates): string {
  const { Type, Properties } = template.Resources[id] ?? { Type: '', Properties: {} };
  const workedOut = (value: unknown): string => String(workOut(value, template, stage));
  switch (Type) {
    case 'AWS::IAM::Role':
      return `arn:aws:iam::${ACCOUNT}:role${workedOut(Properties.Path ?? '/')}${id}`;
    case 'AWS::DynamoDB::GlobalTable':
      return tableArnOf(id);
    case 'AWS::KMS::Key':
      return `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`;
    case 'AWS::Lambda::Function':
      return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${String(Properties.FunctionName)}`;
    case 'AWS::Lambda::Alias':
      return `${arnOf(workedOut(Properties.FunctionName), template, stage)}:${String(Properties.Name)}`;
    case 'AWS::SQS::Queue':
      return queueArnOf(String(Properties.QueueName));
    case 'AWS::S3::Bucket':
      return `arn:aws:s3:::${id}`;
    default:
      return `arn:aws:any:${REGION}:${ACCOUNT}:${id}`;
  }
}
