import { generateSecret } from '../../shared/auth/integration-secrets.ts';
import { checkStrength } from '../../shared/auth/secret-strength.ts';

/**
 * The secret that an integration gets: the one supplied, if it is any good, or one that is made now.
 * @throws Problem `invalid-body` that points at `secret`
 */
export async function chosenSecret(supplied: string | undefined, appCode: string): Promise<string> {
  if (supplied === undefined) return generateSecret();
  await checkStrength(supplied, appCode);
  return supplied;
}
