/**
 * The address in front of the paths of the contracts, as a caller has called it. API Gateway responds only under names
 * of its own and of custom domains, so no caller can choose another. Of `npm start` the name has a port, and no TLS.
 * @param basePath `/prod` at the address that API Gateway gives a stage, nothing at the root of a custom domain
 */
export const baseUrlAt = (domainName = '', basePath: string): string =>
  `${domainName.includes(':') ? 'http' : 'https'}://${domainName}${basePath}`;
