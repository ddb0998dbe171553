import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codesThatAllow, includeAll } from '#identity';
import { catalogue } from '../../functions/access/catalogue.static.ts';

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

it('the id of a permission is the same in every deployment and release', () => {
  expect(catalogue.find(({ code }) => code === 'service-actions:write')).toEqual({
    id: '92f194f5-f444-592d-934f-40eab7aa4888',
    code: 'service-actions:write',
    description: 'Read, create, change and delete service actions',
  });
});
