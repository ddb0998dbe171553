import { type Timing, waitFor } from './timing.ts';

/** How requests are authenticated. */
export type Credentials =
  /** An integration: the client logs in and renews the token. */
  | { readonly appCode: string; readonly secret: string }
  /** A token, or what returns one for each request. */
  | { readonly token: string | (() => string | Promise<string>) };

/** What a login returns. */
interface Granted {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

export interface TokenSource {
  /** A token that is good for now. Callers who ask at once share one login. */
  readonly get: (signal: AbortSignal) => Promise<string>;
  /** This token was refused: the next one is another. */
  readonly refused: (token: string) => void;
}

/** Tokens are renewed so long before they end, in seconds; short ones in the last tenth of their time. */
const MARGIN = 60;

interface Kept {
  readonly token: string;
  readonly renewAt: number;
  readonly endsAt: number;
}

/** A token that is not ours to renew. */
export const ownTokens = (token: string | (() => string | Promise<string>)): TokenSource => ({
  get: async (signal) => {
    signal.throwIfAborted();
    return typeof token === 'string' ? token : waitFor(Promise.resolve(token()), signal);
  },
  refused: () => undefined,
});

/** Keeps the token of a login in memory, and renews it before it ends. */
export function loginTokens(logIn: () => Promise<Granted>, { now }: Timing): TokenSource {
  let kept: Kept | undefined;
  let pending: Promise<string> | undefined;

  const renew = async (): Promise<string> => {
    const asked = now();
    try {
      const { access_token: token, expires_in: seconds } = await logIn();
      const margin = Math.min(MARGIN, seconds / 10);
      kept = { token, renewAt: asked + (seconds - margin) * 1000, endsAt: asked + seconds * 1000 };
      return token;
    } finally {
      pending = undefined;
    }
  };

  return {
    get: async (signal) => {
      if (kept !== undefined && now() < kept.renewAt) return kept.token;
      pending ??= renew();
      const login = pending;
      // Nobody waits for a renewal while the token is still good, so nobody may be there when it fails.
      login.catch(() => undefined);
      if (kept !== undefined && now() < kept.endsAt) return kept.token;
      // A caller who gives up does not end the login of the others.
      return waitFor(login, signal);
    },
    refused: (token) => {
      if (kept?.token === token) kept = undefined;
    },
  };
}
