import type { Template } from 'aws-cdk-lib/assertions';

/** The properties of a stage's resources of a type, in any of its templates. */
export const resourcesOf = <T>(stage: readonly Template[], type: string): T[] =>
  stage.flatMap((template) => Object.values(template.findResources(type)).map(({ Properties }) => Properties as T));

/** The memory of the stage's function of this name, in MB; undefined where it has none. */
export const memoryOf = (stage: readonly Template[], name: string): number | undefined =>
  resourcesOf<{ readonly MemorySize: number; readonly FunctionName: unknown }>(stage, 'AWS::Lambda::Function').find(
    ({ FunctionName }) => JSON.stringify(FunctionName).includes(`-${name}"`),
  )?.MemorySize;
