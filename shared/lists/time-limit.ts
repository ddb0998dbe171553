/** In epoch milliseconds. */
export type Clock = () => number;

/** Who asks the table: until when it tries, and who observes that. */
export interface TimeLimit {
  readonly clock: Clock;
  /** On that clock, in epoch milliseconds. */
  readonly deadline: number;
  readonly observer?: Observer | undefined;
}

/** Is told what a table does, such as for metrics. */
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
  /** How many calls whoever asks now has made so far. */
  readonly callsMade: () => number;
}
