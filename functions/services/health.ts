import type { Service } from './contract.ts';

/** The state of health that is no risk (spec §3). Any other word is one. */
export const HEALTHY = 'healthy';

/** Whether a service is a risk to its client. */
export const isRisk = ({ health_status }: Pick<Service, 'health_status'>): boolean => health_status !== HEALTHY;
