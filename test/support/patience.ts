/** How long is waited for what another process or a page is to do: it ends what hangs, on a busy machine, too. In milliseconds. */
export const PATIENCE = 120_000;
