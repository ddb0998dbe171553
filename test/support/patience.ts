/** The longest wait for another process or a page, also on a busy machine. It ends tests that hang. In milliseconds. */
export const PATIENCE = 120_000;
