/** Sets of permissions, and which permission includes which. */

/** Permission codes; null: all permissions of the tenant. */
export type Permissions = readonly string[] | null;

/**
 * The codes of which any one grants a permission. A PATCH returns the whole record, even if it changes nothing, so a
 * write permission includes the read permission: `clients:read` is granted by itself and by `clients:write`. Other
 * permissions are granted only by themselves.
 */
export function codesThatAllow(code: string): readonly string[] {
  const [area = '', verb] = code.split(':');
  return verb === 'read' ? [code, `${area}:write`] : [code];
}

/** Whether permissions include all of others, each by its own code or by one that includes it. */
export const includeAll = (held: Permissions, others: Permissions): boolean =>
  held === null || (others?.every((code) => codesThatAllow(code).some((one) => held.includes(one))) ?? false);

/** What two sets of permissions have in common: `clients:read` of `clients:read` and `clients:write`. */
export function commonTo(one: Permissions, other: Permissions): Permissions {
  if (one === null || other === null) return one ?? other;
  return [...withReading(one).intersection(withReading(other))];
}

/** The codes with those that they include: `clients:write` and `clients:read`. */
export const withReading = (codes: Iterable<string>): ReadonlySet<string> =>
  new Set([...codes].flatMap((code) => (code.endsWith(':write') ? [code, code.replace(/write$/, 'read')] : [code])));
