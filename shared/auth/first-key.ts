/**
 * Whether this stage lets an anonymous caller register the first integration of a new organization (`FIRST_KEY=on`, `docs/decisions/0013`).
 * Off unless said otherwise, and on only for this very word.
 */
export const isFirstKeyOn = (): boolean => process.env.FIRST_KEY === 'on';
