/** What is used here of an identity provider of an organization. */
export interface IdentityProvider {
  readonly id: string;
  readonly issuer: string;
  /** Client ids, or other audiences, for which its tokens may be. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** Domains whose verified mail addresses count. */
  readonly email_domains: readonly string[];
  readonly required_claims: Readonly<Record<string, unknown>>;
}

/** Algorithms with a public key (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2), whatever a provider lists. */
export const ASYMMETRIC: ReadonlySet<unknown> = new Set([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]);
