/**
 * Sends a request of an AWS SDK client, and once more in a new session where AWS finds the client's session expired after all.
 * @param credentials the client's own, which can be told to be fetched anew
 */
export async function renewingSession<T>(
  send: () => Promise<T>,
  credentials: (options: { readonly forceRefresh: boolean }) => Promise<unknown>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ExpiredTokenException')) throw error;
    await credentials({ forceRefresh: true });
    return send();
  }
}
