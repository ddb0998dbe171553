/**
 * Each operation that must leave an event, the kind of its record, and the fields that it sets with the body of its
 * example.
 */
export const AUDITED: Readonly<Record<string, readonly [recordType: string, fields: readonly string[]]>> = {
  createIntegration: [
    'Integration',
    ['app_code', 'created_at', 'display_name', 'org_id', 'permissions', 'secret', 'status'],
  ],
  updateIntegration: ['Integration', ['status', 'tokens']],
  rotateSecret: ['Integration', ['secret']],
  revokeTokens: ['Integration', ['tokens']],
  createRole: ['Role', ['code', 'created_at', 'description', 'is_system', 'label', 'org_id']],
  createUser: ['User', ['created_at', 'email', 'is_active', 'is_superadmin', 'name', 'phone']],
  upsertUser: ['User', ['created_at', 'email', 'external_id', 'is_active', 'is_superadmin', 'name']],
  updateUser: ['User', ['is_active']],
  deleteUser: ['User', []],
  revokeUserTokens: ['User', ['tokens']],
  offboardUser: ['User', ['is_active', 'tokens']],
  linkIdentity: ['User', ['identities']],
  unlinkIdentity: ['User', ['identities', 'tokens']],
  createIdentityProvider: [
    'IdentityProvider',
    [...['algorithms', 'audiences', 'created_at', 'email_domains', 'issuer', 'name', 'required_claims', 'status']],
  ],
  updateIdentityProvider: ['IdentityProvider', ['status']],
  deleteIdentityProvider: ['IdentityProvider', []],
  createMembership: ['Membership', ['created_at', 'org_id', 'role_id', 'status', 'user_id']],
  updateMembership: ['Membership', ['status']],
  deleteMembership: ['Membership', []],
  endTrashed: ['Ticket', []],
  createOrg: ['Organization', ['created_at', 'id', 'membership_access', 'name', 'settings', 'slug']],
  createWebhookEndpoint: [
    'WebhookEndpoint',
    [
      ...['app_code', 'batch_size', 'challenge', 'confirmed', 'created_at', 'event_types', 'integration_id'],
      ...['payload', 'secrets', 'status', 'status_reason', 'url'],
    ],
  ],
  updateWebhookEndpoint: ['WebhookEndpoint', ['challenge', 'url']],
  verifyWebhookEndpoint: ['WebhookEndpoint', ['challenge', 'status', 'status_reason']],
  rotateWebhookEndpointSecret: ['WebhookEndpoint', ['secrets']],
  pingWebhookEndpoint: ['WebhookEndpoint', ['challenge']],
  replayWebhookEndpoint: ['WebhookEndpoint', ['replayed_at']],
  deleteWebhookEndpoint: ['WebhookEndpoint', []],
  updateOrg: ['Organization', ['name', 'settings']],
};
