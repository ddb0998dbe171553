import type * as z from 'zod';
import { lazily } from '../memory.ts';

/** What the value of a parameter says of a field. `upTo` includes the value, `before` does not. */
export interface Condition {
  readonly field: string;
  readonly as: 'anyOf' | 'allOf' | 'words' | 'atLeast' | 'before' | 'upTo' | 'digits' | 'contains';
}

/** A parameter of a list. */
export interface ListParameter extends Condition {
  readonly schema: z.ZodType;
  /** Whether `null` is a value of it. */
  readonly takesNull: boolean;
}

/** A parameter whose schema is built when it is first asked for. */
export function parameterOf(condition: Condition, make: () => z.ZodType, takesNull = false): ListParameter {
  const schema = lazily(make);
  return {
    ...condition,
    takesNull,
    get schema() {
      return schema();
    },
  };
}
