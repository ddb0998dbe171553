import { MAX_JSON } from './sizes.ts';

/** Sentences about fields that many records have. */

export const ID = 'Names the record in paths and references. The service chooses it; it never changes.';
export const CREATED_AT = 'When the record was created, by the clock of the service.';
export const UPDATED_AT = 'When the record was last changed through the API; at first the time of its creation.';
export const METADATA = `Whatever you keep with the record; it is stored as sent. At most ${MAX_JSON} bytes as JSON.`;
export const SHOWN_ONCE =
  'Shown only here; null in a response that is repeated for its `Idempotency-Key`, except to the live token that ' +
  'asked first.';

/** The description of a field of free-form JSON. */
export const freeForm = (text: string): string => `${text} At most ${MAX_JSON} bytes as JSON.`;

/** The description of a field with an open set of values. */
export const words = (text: string): string => `${text} Or another word.`;
