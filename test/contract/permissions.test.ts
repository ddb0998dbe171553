import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codesThatAllow, includeAll } from '../../shared/contract/permissions.ts';

const CODES = ['a:read', 'a:write', 'b:read', 'b:write', 'b:credentials'];
const permissions = fc.option(fc.subarray(CODES));

it('permissions include others exactly where every code that these allow is allowed by them', () => {
  const allows = (held: readonly string[] | null, code: string): boolean =>
    held === null || codesThatAllow(code).some((one) => held.includes(one));
  fc.assert(
    fc.property(permissions, permissions, (held, others) => {
      // All permissions are more than any list of those that there are today.
      const beyond = others === null && held !== null;
      const isWithin = CODES.every((code) => !allows(others, code) || allows(held, code));
      expect(includeAll(held, others)).toBe(isWithin && !beyond);
    }),
  );
});
