import { typesIn } from './assembly.ts';
import { callCloudFormation } from './aws.ts';
import { type Checks, expectThat } from './checks.ts';
import { differencesFrom, LACKING_TYPES } from './lacking.ts';
import type { Probes } from './probes.ts';

/** Whether the emulator lacks what is listed, and nothing else. */

/** @param assembly as CDK has made it */
export async function checkTypes(checks: Checks, assembly: string): Promise<void> {
  await checks.check('types of resources that the emulator lacks are those that are listed', async () => {
    expectAsListed(LACKING_TYPES, await unrecognizedTypes(typesIn(assembly)));
  });
}

export async function checkFeatures<Names extends object>(
  checks: Checks,
  listed: Names,
  makeProbes: () => Promise<Probes<Names>>,
): Promise<void> {
  await checks.check('features that the emulator lacks are those that are listed', async () => {
    const missing: string[] = [];
    const probes: readonly [string, () => Promise<boolean>][] = Object.entries(await makeProbes());
    for (const [name, lacks] of probes) if (await lacks()) missing.push(name);
    expectAsListed(Object.keys(listed), missing);
  });
}

function expectAsListed(listed: readonly string[], missing: readonly string[]): void {
  const differences = differencesFrom(listed, missing);
  expectThat(differences.length === 0, differences.join('\n'));
}

/** The types that its CloudFormation refuses. */
async function unrecognizedTypes(types: readonly string[]): Promise<readonly string[]> {
  const Resources = Object.fromEntries(types.map((Type, index) => [`R${index}`, { Type }]));
  const { text } = await callCloudFormation('ValidateTemplate', { TemplateBody: JSON.stringify({ Resources }) });
  const [, listed = ''] = /Unrecognized resource types: \[([^\]]*)\]/.exec(text) ?? [];
  return listed.split(', ').filter((type) => type !== '');
}
