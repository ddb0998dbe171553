import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** A function as it would be deployed, for what runs it outside of AWS. */
export interface SynthesizedFunction {
  /** Directory of the bundle. */
  readonly assetPath: string;
  /** The module that the handler is exported from. */
  readonly module: string;
  /** Name of the export. */
  readonly export: string;
  /** As in the template. What only a deployment can tell stands as a name: `Ref:RecordsTable1A2B`. */
  readonly environment: Readonly<Record<string, string>>;
}

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.object({ templateFile: z.string().optional(), stackName: z.string().optional() }).optional(),
    }),
  ),
});

const templateSchema = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() })),
});

const functionSchema = z.object({
  FunctionName: z.string(),
  Handler: z.string(),
  Code: z.object({ S3Key: z.string() }),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});

/** The functions of a synthesized stack (`cdk.out`), by the name of their folder: `clients`, `authorizer` … */
export function synthesizedFunctions(assembly: string): ReadonlyMap<string, SynthesizedFunction> {
  const { artifacts } = manifestSchema.parse(read(assembly, 'manifest.json'));
  const found = new Map<string, SynthesizedFunction>();
  for (const [stackId, { type, properties }] of Object.entries(artifacts)) {
    if (type !== 'aws:cloudformation:stack') continue;
    const { Resources } = templateSchema.parse(read(assembly, properties?.templateFile ?? `${stackId}.template.json`));
    for (const resource of Object.values(Resources)) {
      if (resource.Type !== 'AWS::Lambda::Function') continue;
      const declared = functionSchema.parse(resource.Properties);
      found.set(
        declared.FunctionName.replace(`${properties?.stackName ?? stackId}-`, ''),
        functionOf(assembly, declared),
      );
    }
  }
  return found;
}

function functionOf(assembly: string, declared: z.infer<typeof functionSchema>): SynthesizedFunction {
  const assetPath = join(assembly, `asset.${declared.Code.S3Key.replace(/\.zip$/, '')}`);
  const [file = '', exported = ''] = declared.Handler.split('.');
  return {
    assetPath,
    module: join(assetPath, `${file}.mjs`),
    export: exported,
    environment: Object.fromEntries(
      Object.entries(declared.Environment.Variables).map(([name, value]) => [name, placeholder(value)]),
    ),
  };
}

/** A value of the template as text; an intrinsic function by its name and what it takes. */
function placeholder(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([intrinsic, given]) => `${intrinsic}:${[given].flat().map(wordOf).join('.')}`)
    .join();
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const read = (assembly: string, file: string): unknown => JSON.parse(readFileSync(join(assembly, file), 'utf8'));
