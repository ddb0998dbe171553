import type { Template } from 'aws-cdk-lib/assertions';
import { type FixedCost, idleCosts, metricCost } from './fixed.ts';
import type { Way } from './lines.ts';
import { wayOf } from './way.ts';

/** What a stage of a profile is that is paid for. */
export interface Profile {
  readonly way: Way;
  readonly idle: readonly FixedCost[];
  readonly metrics: FixedCost;
}

export interface Profiles {
  readonly standard: Profile;
  readonly small: Profile;
}

/** @param synthesize answers the templates of a stage with these settings */
export function profilesOf(synthesize: (context: Readonly<Record<string, string>>) => readonly Template[]): Profiles {
  const profile = (name: string): Profile => {
    const templates = synthesize({ stage: 'prod', profile: name });
    return { way: wayOf(templates), idle: idleCosts(templates), metrics: metricCost(templates) };
  };
  return { standard: profile('standard'), small: profile('small') };
}
