/**
 * Whether this stage lets an anonymous caller register the first integration of a new organization (`FIRST_KEY=on`, `docs/decisions/0006`).
 * Off by default; only the exact value `on` turns it on.
 */
export const isFirstKeyOn = (): boolean => process.env.FIRST_KEY === 'on';
