import { checkStrength, generateSecret } from '#auth';

/**
 * The secret of an integration: the supplied one, if it is strong enough, or a generated one.
 * @throws Problem `invalid-body` that points at `secret`
 */
export async function chosenSecret(supplied: string | undefined, appCode: string): Promise<string> {
  if (supplied === undefined) return generateSecret();
  await checkStrength(supplied, appCode);
  return supplied;
}
