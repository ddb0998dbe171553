/** Lifetime of a token, in seconds (spec §8). */
export const TOKEN_LIFETIME = 3600;

/** How far in the future a token may have been issued, in seconds: the clocks of issuer and verifier may differ. */
export const TOKEN_LEEWAY = 60;
