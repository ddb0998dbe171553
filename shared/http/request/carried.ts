import type { RequestSession } from '#table';
import type { MatchedRoute } from '../routes/route-table.ts';

/** What a request has from the one that carries it. */
export interface Carried {
  readonly matched: MatchedRoute;
  /** What its session shares with those of the others. */
  readonly batch: NonNullable<RequestSession['batch']>;
  /** The suspension check that holds for it. */
  readonly suspensionCheck: Promise<void>;
}

/** Of the gateway's events, none is carried. */
export interface MaybeCarried {
  readonly carried?: Carried;
}
