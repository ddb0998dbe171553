/** What `cdk diff --fail-on=destructive` lists: resources that a deployment would replace, delete or orphan. */

/** With what `cdk diff` ends its comparison. */
const COMPARED = 'Number of stacks with differences: ';

/** `  custodia-prod: AWS::KMS::Key Keys/Secrets KeysSecrets1A2B will be destroyed` */
const CHANGE = /^ +([\w-]+: AWS::.* (?:will|may) be .*)$/gm;

/** Made anew by each release, while the one before serves; neither holds anything (`docs/decisions/0100-deploying.md`). */
const OF_EACH_RELEASE = /: AWS::(Lambda::Version|ApiGateway::Deployment) .* will be destroyed$/;

/**
 * The changes that a release does not have as a matter of course.
 * @param text all that `cdk diff` has written, without colours
 * @param exitCode its own
 * @throws Error where it did not compare
 */
export function destructiveChanges(text: string, exitCode: number | null): readonly string[] {
  const changes = Array.from(text.matchAll(CHANGE), ([, each = '']) => each);
  if (!text.includes(COMPARED) || (exitCode === 0) !== (changes.length === 0)) {
    throw new Error(`cdk diff could not compare (exit code ${exitCode})`, { cause: text });
  }
  return changes.filter((each) => !OF_EACH_RELEASE.test(each));
}
