import type { Template } from 'aws-cdk-lib/assertions';

/** The properties of a stage's resources of a type, in any of its templates. */
export const resourcesOf = <T>(stage: readonly Template[], type: string): T[] =>
  stage.flatMap((template) => Object.values(template.findResources(type)).map(({ Properties }) => Properties as T));
