/** In epoch milliseconds. */
export type Clock = () => number;

/** Until when a call is tried, and by whom that is observed. */
export interface TimeLimit {
  readonly clock: Clock;
  /** On that clock, in epoch milliseconds. */
  readonly deadline: number;
  readonly observer?: Observer | undefined;
}

/** Observes what a table does, such as for metrics. */
export interface Observer {
  /**
   * Something happened so many times: calls of DynamoDB, calls that were repeated, calls that it refused because of another transaction; numbers that
   * were fenced, numbers that were released, items that were deleted by compaction.
   */
  readonly count: (
    what: 'calls' | 'retries' | 'conflicts' | 'fences' | 'releases' | 'compactions',
    times: number,
  ) => void;
  /** Calls took so many read or write units. */
  readonly countUnits: (units: number) => void;
  /** How many calls the request at hand has made so far. */
  readonly callsMade: () => number;
}
