import { catalogue } from './catalogue.static.ts';

/** The codes of all permissions, sorted. */
export const codes: readonly string[] = catalogue.map(({ code }) => code);
