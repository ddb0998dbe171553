import type { Template } from 'aws-cdk-lib/assertions';
import type { ColdStart } from '../cpu-share.ts';
import { type DeliveryMemory, deliveryMemoryIn } from './deliveries.ts';
import { type FixedCost, idleCosts, metricCost } from './fixed.ts';
import { heartbeatCosts } from './heartbeat.ts';
import type { StageSetup } from './lines.ts';
import { wakeUpCosts } from './wake-ups.ts';
import { wayOf } from './way.ts';

/** The billed properties of a stage of a profile. */
export interface Profile {
  readonly way: StageSetup;
  readonly idle: readonly FixedCost[];
  /** Custom metrics, which have values only while somebody calls. */
  readonly metrics: FixedCost;
  readonly deliveries: DeliveryMemory;
}

export interface Profiles {
  readonly standard: Profile;
  readonly small: Profile;
}

/** @param synthesize returns the templates of a stage with these settings */
export function profilesOf(
  synthesize: (context: Readonly<Record<string, string>>) => readonly Template[],
  coldStart: ColdStart,
): Profiles {
  const profile = (name: string): Profile => {
    const templates = synthesize({ stage: 'prod', profile: name });
    const way = wayOf(templates, coldStart);
    const [calls, keptAlive] = heartbeatCosts(templates, way);
    const metrics = metricCost(templates);
    return {
      way,
      idle: [...idleCosts(templates), calls, keptAlive, ...wakeUpCosts(templates, way)],
      metrics: { ...metrics, count: metrics.count - keptAlive.count },
      deliveries: deliveryMemoryIn(templates),
    };
  };
  return { standard: profile('standard'), small: profile('small') };
}
