/** Why a subject token is refused, as sentences for `error_description` (RFC 6749 §5.2): they repeat nothing of it. */
const SENTENCES = {
  malformed: 'The subject token is no signed JWT of at most 16 KB.',
  header: 'The header of the subject token has a member that is not accepted: jwk, jku, x5u, x5c or crit.',
  type: 'The subject token is of another type than subject_token_type says.',
  algorithm: 'The subject token is not signed with an algorithm of its identity provider.',
  'no-key': 'The subject token names no key, and its identity provider has several.',
  'unknown-key': 'The subject token is signed with a key that its identity provider does not publish.',
  'keys-unavailable': 'The keys of the identity provider could not be fetched. Try again in 30 seconds.',
  signature: 'The signature of the subject token is not valid.',
  claims: 'A registered claim of the subject token is missing or has another form.',
  issuer: 'The issuer of the subject token is not exactly that of the identity provider.',
  audience: 'The subject token is for another audience than those of the identity provider.',
  expired: 'The subject token has expired.',
  old: 'The subject token was issued more than ten minutes ago.',
  early: 'The subject token is not valid yet.',
  subject: 'The claim sub of the subject token is not a text of 1 to 255 ASCII characters.',
  required: 'A claim of the subject token has another value than the identity provider requires.',
  used: 'The subject token was exchanged before. Get a new one.',
} as const satisfies Readonly<Record<string, string>>;

type Reason = keyof typeof SENTENCES;

/** A subject token that is not exchanged. Its message is a sentence for the caller. */
export class SubjectTokenRefused extends Error {
  override readonly name = 'SubjectTokenRefused';
  /** Stable. */
  readonly reason: Reason;

  constructor(reason: Reason, options?: ErrorOptions) {
    super(SENTENCES[reason], options);
    this.reason = reason;
  }
}
