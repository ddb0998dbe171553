import { invalidField, type Problem } from '#contract';

/**
 * The error of a reference to a missing record: a 422 that points at the field. Another tenant's record counts as missing.
 */
export const noSuchRecord = (field: string) => (): Problem => invalidField(field, 'names no record of this tenant');
