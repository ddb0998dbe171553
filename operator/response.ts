import type * as z from 'zod';
import { OperatorProblem } from './problem.ts';

const INSTEAD = 'look whether something else answers in its place, such as a proxy or AWS_ENDPOINT_URL.';

/**
 * Reads what AWS has responded. A command names the members that it needs by a schema; a member that is `null` is the
 * same as an absent one, because services differ in which they send.
 * @param call what was called, for people: `lambda GetAccountSettings`
 * @param response JSON, or what the SDK has read
 * @throws OperatorProblem for a response without these members
 */
export function readResponse<T>(call: string, schema: z.ZodType<T>, response: unknown): T {
  const { data, error } = schema.safeParse(
    withoutNulls(typeof response === 'string' ? parsed(call, response) : response),
  );
  if (error === undefined) return data;
  const members = [...new Set(error.issues.map(({ path }) => path.join('.') || 'everything'))];
  throw new OperatorProblem(
    `AWS responded to ${call} without what its reference describes (${members.join(', ')}): ${INSTEAD}`,
  );
}

function parsed(call: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new OperatorProblem(`AWS responded to ${call} with a text that cannot be read: ${INSTEAD}`, { cause });
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => each !== null).map(withoutNulls);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
