import { includeAll, type Permissions } from '#identity';

/**
 * An endpoint as somebody with these permissions sees it: path and query of its `url` may be what keeps others from sending to it, so only who may
 * change it sees them.
 */
export const withVisibleAddress = <T extends { readonly url: string }>(endpoint: T, permissions: Permissions): T =>
  includeAll(permissions, ['webhook-endpoints:write']) ? endpoint : { ...endpoint, url: new URL(endpoint.url).origin };
