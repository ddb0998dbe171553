/** The second part of an event's type: `ticket.updated`. An event `pinged` is of no change: a trial. */
export type Verb = 'created' | 'updated' | 'moved' | 'deleted' | 'restored' | 'pinged';

/** How the changes of records are journaled: each creation, change and deletion is an event. */
export interface Journaled<T, Q extends string = string> {
  /** Operations also stage events that are of no change (`stagePing`). */
  readonly trials?: true;
  /** Its records keep the numbers of their events, and these the values that they changed, for `usual.changes`. */
  readonly history?: true;
  /** An update of nothing but these fields is no event: figures that are reported every minute. */
  readonly quiet?: readonly Q[];
  /** Fields that events do not name: no reader has them. */
  readonly unnamed?: readonly Q[];
  /** Whether such an update is one all the same. */
  readonly isLoud?: (before: T, after: T) => boolean;
}
