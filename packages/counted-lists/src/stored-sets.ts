/** The sets of a list as they are stored: their partitions, and when their items expire. */

/**
 * Partition of a set of numbers: a list's counter item and its gaps are in `ORG#<tenant>#TICKET#SET`, the numbers of
 * the records with a filter's value in `ORG#<tenant>#TICKET#status=open#SET`.
 */
export const partitionOf = (list: string, field?: string, value?: string): string =>
  field === undefined ? `${list}#SET` : `${list}#${field}=${encodeURIComponent(value ?? '')}#SET`;

/** How much longer items are kept than the record of their last writer, which need not be the last one. In seconds. */
const LONGER = 35 * 86_400;

/** Expiry of an item of a set whose latest record expires at `expires`, both in epoch seconds. */
export const expiryAfter = (expires: number): number => expires + LONGER;
