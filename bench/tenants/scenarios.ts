/** A tenant besides the others, which sends far more than it may. */
export interface Flood {
  /** Requests a second, all of one route. */
  readonly perSecond: number;
  /** Network addresses that they come from. */
  readonly addresses: number;
}

/** Minutes of a service's life. */
export interface Scenario {
  readonly name: string;
  readonly flood: Flood | undefined;
  /** Of each route, a second and at once; default: those of a stage. */
  readonly throttling?: { readonly rate: number; readonly burst: number };
  /** The part of others' requests that may be refused or fail, on the route of the flood and on other routes. */
  readonly lostAtMost: { readonly near: number; readonly far: number };
}

/** Integrations of the tenant that floods: together they may send twice what the tenant may. */
export const FLOODING_KEYS = 20;

/** What the flood sends, as `docs/data-model.md` names it. */
export const FLOODED = 'POST /logs/ingest';

export const SCENARIOS: readonly Scenario[] = [
  { name: 'none', flood: undefined, lostAtMost: { near: 0, far: 0 } },
  { name: '400 a second, 20 addresses', flood: { perSecond: 400, addresses: 20 }, lostAtMost: { near: 0, far: 0 } },
  {
    name: '2,000 a second, 4 addresses',
    flood: { perSecond: 2_000, addresses: 4 },
    lostAtMost: { near: 0.5, far: 0.01 },
  },
  {
    name: '2,000 a second, 100 addresses',
    flood: { perSecond: 2_000, addresses: 100 },
    lostAtMost: { near: 0.9, far: 0.01 },
  },
  {
    name: 'the same, `throttleRate` 200',
    flood: { perSecond: 2_000, addresses: 100 },
    throttling: { rate: 200, burst: 400 },
    lostAtMost: { near: 0.95, far: 0 },
  },
];

/** Tenants besides the one that floods. */
export const TENANTS = 10_000;

export interface Size {
  /** Requests of all of them together, a second. */
  readonly perSecond: number;
  /** Seconds before the flood begins, and with it. */
  readonly before: number;
  readonly during: number;
}

export const FULL: Size = { perSecond: 300, before: 60, during: 180 };
export const SMALL: Size = { perSecond: 150, before: 10, during: 60 };
/** To see that it runs, until the budget of a tenant that floods is spent: after 20 seconds. */
export const LEAST: Size = { perSecond: 20, before: 1, during: 30 };
