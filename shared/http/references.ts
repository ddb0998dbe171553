import { invalidField, type Problem } from '../contract/problem.ts';

/**
 * The error of a reference that leads nowhere, for the references and counters of a repository: a 422 that points at the field.
 * Another tenant's record and a missing one are the same here.
 */
export const noSuchRecord = (field: string) => (): Problem => invalidField(field, 'names no record of this tenant');
