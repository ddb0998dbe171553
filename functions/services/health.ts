import type { Service } from './contract.ts';

/** The only health status that is not a risk (spec §3). */
export const HEALTHY = 'healthy';

/** Whether a service is a risk to its client. */
export const isRisk = ({ health_status }: Pick<Service, 'health_status'>): boolean => health_status !== HEALTHY;
