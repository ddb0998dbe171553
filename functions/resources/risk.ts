import { HEALTHY } from '../clients/words.ts';
import type { Resource } from './contract.ts';

/** When a resource is a risk to its client (`docs/decisions/0021-services-and-resources.md`). */

type Measured = Pick<
  Resource,
  'cpu_usage' | 'memory_usage' | 'storage_usage' | 'usage_alerts_enabled' | 'alert_threshold'
>;

/** Whether any usage is above the resource's `alert_threshold`, with alerts on. */
export const isOverThreshold = ({ usage_alerts_enabled, alert_threshold, ...usage }: Measured): boolean =>
  usage_alerts_enabled &&
  [usage.cpu_usage, usage.memory_usage, usage.storage_usage].some((each) => each !== null && each > alert_threshold);

/** Whether a resource is a risk to its client: not healthy, or over its threshold. */
export const isResourceRisk = (resource: Measured & Pick<Resource, 'health_status'>): boolean =>
  resource.health_status !== HEALTHY || isOverThreshold(resource);
