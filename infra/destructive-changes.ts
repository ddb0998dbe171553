/**
 * Reads the output of `cdk diff --fail-on=destructive`: resources that a deployment would replace, delete or orphan.
 */

/** The last line of a comparison by `cdk diff`. */
const COMPARED = 'Number of stacks with differences: ';

/** `  custodia-prod: AWS::KMS::Key Keys/Secrets KeysSecrets1A2B will be destroyed` */
const CHANGE = /^ +([\w-]+: AWS::.* (?:will|may) be .*)$/gm;

/**
 * Each release replaces these while the previous ones serve; they hold no data (`docs/decisions/0100-deploying.md`).
 */
const OF_EACH_RELEASE = /: AWS::(Lambda::Version|ApiGateway::Deployment) .* will be destroyed$/;

/**
 * The destructive changes, without those of every release.
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
