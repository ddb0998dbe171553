/** A promise of the pages, compared with this run. */
export interface TenantBound {
  readonly claim: string;
  readonly value: number;
  readonly limit: number;
}

export const holds = ({ value, limit }: TenantBound): boolean => value <= limit;
