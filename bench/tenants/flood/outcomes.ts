/** What became of requests. */
export interface Outcomes {
  sent: number;
  served: number;
  /** Refused with 403 by the firewall, with 429 by the stage's throttle or a budget. */
  byFirewall: number;
  byStage: number;
  byOwnBudget: number;
  byTenantBudget: number;
  /** Failed with 5xx: a partition had no units until the last attempt, or the account had no execution left. */
  failed: number;
  /** Served at a later attempt. */
  waited: number;
  /** In milliseconds. */
  longestWait: number;
}

export const noOutcomes = (): Outcomes => ({
  sent: 0,
  served: 0,
  byFirewall: 0,
  byStage: 0,
  byOwnBudget: 0,
  byTenantBudget: 0,
  failed: 0,
  waited: 0,
  longestWait: 0,
});

export const refusedOf = ({ byFirewall, byStage, byOwnBudget, byTenantBudget, failed }: Outcomes): number =>
  byFirewall + byStage + byOwnBudget + byTenantBudget + failed;
