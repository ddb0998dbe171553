/** Keys of a list's items besides its records. */

export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/**
 * A list's sets of numbers: its counter item and its gaps in `ORG#<tenant>#TICKET#SET`, the numbers of the records with a filter's value in
 * `ORG#<tenant>#TICKET#status=open#SET`.
 */
export const setPartition = (partition: string, field?: string, value?: string): string =>
  field === undefined ? `${partition}#SET` : `${partition}#${field}=${encodeURIComponent(value ?? '')}#SET`;

/** The prefix index of a field, by record: `ORG#<tenant>#CLIENT#name#PREFIX`. */
export const prefixPartition = (partition: string, field: string): string => `${partition}#${field}#PREFIX`;

/** Sort key of a list's counter item. It sorts after the items with bits. */
export const COUNTER = 'HEAD';
