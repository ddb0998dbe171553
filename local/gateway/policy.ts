import * as z from 'zod';

/**
 * The response of a Lambda authorizer:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html A policy that
 * this module cannot evaluate, such as one with a condition, counts as malformed: the gateway fails closed.
 */

const oneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMore,
  Resource: oneOrMore,
});

const authorizationSchema = z.strictObject({
  principalId: z.string().min(1),
  policyDocument: z.strictObject({
    Version: z.string().optional(),
    Statement: z.union([statementSchema.transform((one) => [one]), z.array(statementSchema)]),
  }),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullish(),
  usageIdentifierKey: z.string().nullish(),
});

export type Authorization = z.output<typeof authorizationSchema>;

/** @throws ZodError when the response is malformed */
export const authorizationOf = (response: unknown): Authorization => authorizationSchema.parse(response);

/** Whether the policy lets the method be invoked: a statement allows it and none denies it. */
export function isAllowed({ policyDocument }: Authorization, methodArn: string): boolean {
  const effects = policyDocument.Statement.filter(
    ({ Action, Resource }) =>
      Action.some((pattern) => matches(pattern.toLowerCase(), 'execute-api:invoke')) &&
      Resource.some((pattern) => matches(pattern, methodArn)),
  ).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

/** IAM's wildcards: `*` stands for any text, also across slashes, and `?` for one character. */
function matches(pattern: string, text: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === text;
  const expression = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  });
  return new RegExp(`^${expression.join('')}$`, 's').test(text);
}

/** The part that functions see: every value of the context as text. */
export const contextValues = ({ principalId, context }: Authorization): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(context ?? {})
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, String(value)]),
  ),
  principalId,
});
