/**
 * The readable names of the operations in openapi.json: `npm run docs` writes this file, do not edit it.
 */

import type { Listing, Options, Query, WithSecret } from './signatures.ts';
import type { AccessToken, AccessTokenResponse, Alert, AlertmanagerAlerts, AlertsTaken, Attachment, AttachmentCreate, AttachmentList, AuditEvent, AuditEventPage, AuthorizationServer, ClaimedServiceAction, ClientActionList, ClientCreate, ClientPage, ClientPatch, ClientRecord, ClientSummary, ClientUpsert, CreatedIntegration, CreatedWebhookEndpoint, CutOffIntegration, DeliveryAttemptPage, Event, HealthCheck, Identity, IdentityCreate, IdentityList, IdentityProvider, IdentityProviderCreate, IdentityProviderPage, IdentityProviderPatch, Integration, IntegrationCreate, IntegrationPage, IntegrationPatch, LogEntryCreate, LogEntryPage, LogReceipt, Login, MaintenanceWindow, MaintenanceWindowCreate, MaintenanceWindowPage, MaintenanceWindowPatch, McpMessage, McpResponse, Me, Membership, MembershipCreate, MembershipList, MembershipPage, MembershipPatch, Move, Offboarding, OpenApiDocument, Organization, OrganizationCreate, OrganizationPage, OrganizationPatch, PermissionPage, ProtectedResource, RecordChangeList, Resource, ResourceCreate, ResourceHistoryEntry, ResourceHistoryEntryCreate, ResourceHistoryEntryPage, ResourcePage, ResourcePatch, ResourceUpsert, Role, RoleCreate, RolePage, RotatedIntegration, RotatedWebhookEndpoint, SecretRotation, Service, ServiceAction, ServiceActionClaim, ServiceActionCreate, ServiceActionFinish, ServiceActionHeartbeat, ServiceActionPage, ServiceCounts, ServiceCreate, ServicePage, ServicePatch, ServiceUpsert, Terminal, TerminalCreate, TerminalPage, TerminalPatch, TerminalUpsert, Ticket, TicketCounts, TicketCreate, TicketMerge, TicketMessage, TicketMessageCreate, TicketMessageList, TicketMessagePatch, TicketPatch, TicketSummaryPage, TicketUpsert, TokenKeySet, TokenRequest, TrashPage, UpdatedIntegration, Usage, User, UserAccess, UserCreate, UserPage, UserPatch, UserUpsert, WebhookDelivery, WebhookEndpoint, WebhookEndpointCreate, WebhookEndpointPage, WebhookEndpointPatch, WebhookEvent, WebhookEventSummaryPage, WebhookReceipt, WebhookReplay, WebhookSecretRotation, WebhookVerification } from './schema.ts';

/** The operations by their readable names. */
export interface Calls {
  readonly alerts: {
    /** Send alerts of Alertmanager or Grafana: `POST /api/v1/alerts/alertmanager`. */
    readonly receiveOfAlertmanager: (body: AlertmanagerAlerts, options?: Options<'receiveAlertsOfAlertmanager'>) => Promise<AlertsTaken>;
    /** Send an alert of another system: `POST /api/v1/alerts/custodia`. */
    readonly receive: (body: Alert, options?: Options<'receiveAlert'>) => Promise<AlertsTaken>;
  };
  readonly attachments: {
    /** List the attachments of a ticket: `GET /api/v1/tickets/{id}/attachments`. */
    readonly list: (id: string, query?: Query<'listAttachments'>, options?: Options<'listAttachments'>) => Listing<AttachmentList>;
    /** Announce an attachment: `POST /api/v1/tickets/{id}/attachments`. */
    readonly create: (id: string, body: AttachmentCreate, options?: Options<'createAttachment'>) => Promise<Attachment>;
    /** Read an attachment, and where its bytes are: `GET /api/v1/tickets/{id}/attachments/{attachment_id}`. */
    readonly get: (id: string, attachmentId: string, query?: Query<'getAttachment'>, options?: Options<'getAttachment'>) => Promise<Attachment>;
    /** Delete an attachment: `DELETE /api/v1/tickets/{id}/attachments/{attachment_id}`. */
    readonly delete: (id: string, attachmentId: string, options?: Options<'deleteAttachment'>) => Promise<void>;
    /** Complete an upload: `POST /api/v1/tickets/{id}/attachments/{attachment_id}/complete`. */
    readonly complete: (id: string, attachmentId: string, body?: undefined, options?: Options<'completeAttachment'>) => Promise<Attachment>;
  };
  readonly auditEvents: {
    /** List audit events: `GET /api/v1/audit-events`. */
    readonly list: (query?: Query<'listAuditEvents'>, options?: Options<'listAuditEvents'>) => Listing<AuditEventPage>;
    /** Read an audit event: `GET /api/v1/audit-events/{id}`. */
    readonly get: (id: string, query?: Query<'getAuditEvent'>, options?: Options<'getAuditEvent'>) => Promise<AuditEvent>;
  };
  readonly auth: {
    /** Log in as an integration: `POST /api/v1/auth/login`. */
    readonly login: (body: Login, options?: Options<'login'>) => Promise<AccessToken>;
  };
  readonly clients: {
    /** List clients: `GET /api/v1/clients`. */
    readonly list: (query?: Query<'listClients'>, options?: Options<'listClients'>) => Listing<ClientPage>;
    /** Create a client: `POST /api/v1/clients`. */
    readonly create: (body: ClientCreate, options?: Options<'createClient'>) => Promise<ClientRecord>;
    /** Create a client, or change the one with this slug or external id: `PUT /api/v1/clients`. */
    readonly upsert: (body: ClientUpsert, options?: Options<'upsertClient'>) => Promise<ClientRecord>;
    /** Read a client: `GET /api/v1/clients/{id}`. */
    readonly get: (id: string, query?: Query<'getClient'>, options?: Options<'getClient'>) => Promise<ClientRecord>;
    /** Change a client: `PATCH /api/v1/clients/{id}`. */
    readonly update: (id: string, body: ClientPatch, options?: Options<'updateClient'>) => Promise<ClientRecord>;
    /** List the changes of a client: `GET /api/v1/clients/{id}/changes`. */
    readonly listChanges: (id: string, query?: Query<'listClientChanges'>, options?: Options<'listClientChanges'>) => Listing<RecordChangeList>;
    /** Sum up what a client has: `GET /api/v1/clients/{id}/summary`. */
    readonly summarize: (id: string, query?: Query<'summarizeClient'>, options?: Options<'summarizeClient'>) => Promise<ClientSummary>;
    /** List what was done to a client: `GET /api/v1/clients/{id}/actions`. */
    readonly listActions: (id: string, query?: Query<'listClientActions'>, options?: Options<'listClientActions'>) => Listing<ClientActionList>;
  };
  readonly docs: {
    /** Read the documentation: `GET /api/v1/docs`. */
    readonly get: (query?: Query<'getDocs'>, options?: Options<'getDocs'>) => Promise<string>;
    /** Read a page of the documentation, or a file of a page: `GET /api/v1/docs/{file}`. */
    readonly getFile: (file: string, query?: Query<'getDocsFile'>, options?: Options<'getDocsFile'>) => Promise<string>;
  };
  readonly health: {
    /** Check the service: `GET /api/v1/health`. */
    readonly get: (query?: Query<'getHealth'>, options?: Options<'getHealth'>) => Promise<HealthCheck>;
  };
  readonly identities: {
    /** Link an identity to a user: `POST /api/v1/users/{id}/identities`. */
    readonly link: (id: string, body: IdentityCreate, options?: Options<'linkIdentity'>) => Promise<Identity>;
    /** Unlink an identity of a user: `DELETE /api/v1/users/{id}/identities/{identity_id}`. */
    readonly unlink: (id: string, identityId: string, options?: Options<'unlinkIdentity'>) => Promise<void>;
  };
  readonly identityProviders: {
    /** List identity providers: `GET /api/v1/identity-providers`. */
    readonly list: (query?: Query<'listIdentityProviders'>, options?: Options<'listIdentityProviders'>) => Listing<IdentityProviderPage>;
    /** Create an identity provider: `POST /api/v1/identity-providers`. */
    readonly create: (body: IdentityProviderCreate, options?: Options<'createIdentityProvider'>) => Promise<IdentityProvider>;
    /** Read an identity provider: `GET /api/v1/identity-providers/{id}`. */
    readonly get: (id: string, query?: Query<'getIdentityProvider'>, options?: Options<'getIdentityProvider'>) => Promise<IdentityProvider>;
    /** Change an identity provider: `PATCH /api/v1/identity-providers/{id}`. */
    readonly update: (id: string, body: IdentityProviderPatch, options?: Options<'updateIdentityProvider'>) => Promise<IdentityProvider>;
    /** Delete an identity provider: `DELETE /api/v1/identity-providers/{id}`. */
    readonly delete: (id: string, options?: Options<'deleteIdentityProvider'>) => Promise<void>;
  };
  readonly integrations: {
    /** List integrations: `GET /api/v1/integrations`. */
    readonly list: (query?: Query<'listIntegrations'>, options?: Options<'listIntegrations'>) => Listing<IntegrationPage>;
    /** Register an integration: `POST /api/v1/integrations`. */
    readonly create: (body: IntegrationCreate, options?: Options<'createIntegration'>) => Promise<WithSecret<CreatedIntegration>>;
    /** Read an integration: `GET /api/v1/integrations/{id}`. */
    readonly get: (id: string, query?: Query<'getIntegration'>, options?: Options<'getIntegration'>) => Promise<Integration>;
    /** Change an integration: `PATCH /api/v1/integrations/{id}`. */
    readonly update: (id: string, body: IntegrationPatch, options?: Options<'updateIntegration'>) => Promise<UpdatedIntegration>;
    /** Give an integration a new secret: `POST /api/v1/integrations/{id}/rotate-secret`. */
    readonly rotateSecret: (id: string, body: SecretRotation, options?: Options<'rotateSecret'>) => Promise<WithSecret<RotatedIntegration>>;
    /** End the tokens of an integration: `POST /api/v1/integrations/{id}/revoke-tokens`. */
    readonly revokeTokens: (id: string, body?: undefined, options?: Options<'revokeTokens'>) => Promise<CutOffIntegration>;
  };
  readonly logs: {
    /** List log entries: `GET /api/v1/logs`. */
    readonly list: (query?: Query<'listLogs'>, options?: Options<'listLogs'>) => Listing<LogEntryPage>;
    /** Take in log entries: `POST /api/v1/logs/ingest`. */
    readonly ingest: (body: LogEntryCreate, options?: Options<'ingestLog'>) => Promise<LogReceipt>;
  };
  readonly maintenanceWindows: {
    /** List maintenance windows: `GET /api/v1/maintenance-windows`. */
    readonly list: (query?: Query<'listMaintenanceWindows'>, options?: Options<'listMaintenanceWindows'>) => Listing<MaintenanceWindowPage>;
    /** Create a maintenance window: `POST /api/v1/maintenance-windows`. */
    readonly create: (body: MaintenanceWindowCreate, options?: Options<'createMaintenanceWindow'>) => Promise<MaintenanceWindow>;
    /** Read a maintenance window: `GET /api/v1/maintenance-windows/{id}`. */
    readonly get: (id: string, query?: Query<'getMaintenanceWindow'>, options?: Options<'getMaintenanceWindow'>) => Promise<MaintenanceWindow>;
    /** Change a maintenance window: `PATCH /api/v1/maintenance-windows/{id}`. */
    readonly update: (id: string, body: MaintenanceWindowPatch, options?: Options<'updateMaintenanceWindow'>) => Promise<MaintenanceWindow>;
    /** Delete a maintenance window: `DELETE /api/v1/maintenance-windows/{id}`. */
    readonly delete: (id: string, options?: Options<'deleteMaintenanceWindow'>) => Promise<void>;
  };
  readonly mcp: {
    /** Send a message of the Model Context Protocol: `POST /api/v1/mcp`. */
    readonly sendMessage: (body: McpMessage, options?: Options<'sendMcpMessage'>) => Promise<McpResponse>;
  };
  readonly me: {
    /** Read who you are: `GET /api/v1/me`. */
    readonly get: (query?: Query<'getMe'>, options?: Options<'getMe'>) => Promise<Me>;
  };
  readonly memberships: {
    /** Make a user a member: `POST /api/v1/users/memberships`. */
    readonly create: (body: MembershipCreate, options?: Options<'createMembership'>) => Promise<Membership>;
    /** List memberships: `GET /api/v1/memberships`. */
    readonly list: (query?: Query<'listMemberships'>, options?: Options<'listMemberships'>) => Listing<MembershipPage>;
    /** Read a membership: `GET /api/v1/memberships/{id}`. */
    readonly get: (id: string, query?: Query<'getMembership'>, options?: Options<'getMembership'>) => Promise<Membership>;
    /** Change a membership: `PATCH /api/v1/memberships/{id}`. */
    readonly update: (id: string, body: MembershipPatch, options?: Options<'updateMembership'>) => Promise<Membership>;
    /** Delete a membership: `DELETE /api/v1/memberships/{id}`. */
    readonly delete: (id: string, options?: Options<'deleteMembership'>) => Promise<void>;
  };
  readonly openapi: {
    /** Read the OpenAPI document: `GET /api/v1/openapi`. */
    readonly get: (query?: Query<'getOpenApi'>, options?: Options<'getOpenApi'>) => Promise<OpenApiDocument>;
  };
  readonly orgs: {
    /** List organizations: `GET /api/v1/orgs`. */
    readonly list: (query?: Query<'listOrgs'>, options?: Options<'listOrgs'>) => Listing<OrganizationPage>;
    /** Create an organization: `POST /api/v1/orgs`. */
    readonly create: (body: OrganizationCreate, options?: Options<'createOrg'>) => Promise<Organization>;
    /** Read an organization: `GET /api/v1/orgs/{id}`. */
    readonly get: (id: string, query?: Query<'getOrg'>, options?: Options<'getOrg'>) => Promise<Organization>;
    /** Change an organization: `PATCH /api/v1/orgs/{id}`. */
    readonly update: (id: string, body: OrganizationPatch, options?: Options<'updateOrg'>) => Promise<Organization>;
  };
  readonly permissions: {
    /** List the permissions there are: `GET /api/v1/permissions`. */
    readonly list: (query?: Query<'listPermissions'>, options?: Options<'listPermissions'>) => Listing<PermissionPage>;
  };
  readonly resources: {
    /** List resources: `GET /api/v1/resources`. */
    readonly list: (query?: Query<'listResources'>, options?: Options<'listResources'>) => Listing<ResourcePage>;
    /** Create a resource: `POST /api/v1/resources`. */
    readonly create: (body: ResourceCreate, options?: Options<'createResource'>) => Promise<Resource>;
    /** Create a resource, or change the one with this external id: `PUT /api/v1/resources`. */
    readonly upsert: (body: ResourceUpsert, options: Options<'upsertResource'>) => Promise<Resource>;
    /** Read a resource: `GET /api/v1/resources/{id}`. */
    readonly get: (id: string, query?: Query<'getResource'>, options?: Options<'getResource'>) => Promise<Resource>;
    /** Change a resource: `PATCH /api/v1/resources/{id}`. */
    readonly update: (id: string, body: ResourcePatch, options?: Options<'updateResource'>) => Promise<Resource>;
    /** Delete a resource: `DELETE /api/v1/resources/{id}`. */
    readonly delete: (id: string, options?: Options<'deleteResource'>) => Promise<void>;
    /** List the changes of a resource: `GET /api/v1/resources/{id}/changes`. */
    readonly listChanges: (id: string, query?: Query<'listResourceChanges'>, options?: Options<'listResourceChanges'>) => Listing<RecordChangeList>;
    /** Move a resource to another client: `POST /api/v1/resources/{id}/move`. */
    readonly move: (id: string, body: Move, options?: Options<'moveResource'>) => Promise<Resource>;
    /** Restore a resource: `POST /api/v1/resources/{id}/restore`. */
    readonly restore: (id: string, body?: undefined, options?: Options<'restoreResource'>) => Promise<Resource>;
    /** List the history of a resource: `GET /api/v1/resources/{id}/history`. */
    readonly listHistory: (id: string, query?: Query<'listResourceHistory'>, options?: Options<'listResourceHistory'>) => Listing<ResourceHistoryEntryPage>;
    /** Report metrics of a resource: `POST /api/v1/resources/{id}/history`. */
    readonly createHistoryEntry: (id: string, body: ResourceHistoryEntryCreate, options?: Options<'createResourceHistoryEntry'>) => Promise<ResourceHistoryEntry>;
  };
  readonly roles: {
    /** List roles: `GET /api/v1/roles`. */
    readonly list: (query?: Query<'listRoles'>, options?: Options<'listRoles'>) => Listing<RolePage>;
    /** Create a role: `POST /api/v1/roles`. */
    readonly create: (body: RoleCreate, options?: Options<'createRole'>) => Promise<Role>;
  };
  readonly serviceActions: {
    /** List service actions: `GET /api/v1/service-actions`. */
    readonly list: (query?: Query<'listServiceActions'>, options?: Options<'listServiceActions'>) => Listing<ServiceActionPage>;
    /** Record a service action, or ask for one: `POST /api/v1/service-actions`. */
    readonly create: (body: ServiceActionCreate, options?: Options<'createServiceAction'>) => Promise<ServiceAction>;
    /** Read a service action: `GET /api/v1/service-actions/{id}`. */
    readonly get: (id: string, query?: Query<'getServiceAction'>, options?: Options<'getServiceAction'>) => Promise<ServiceAction>;
    /** Claim an action to carry out: `POST /api/v1/service-actions/claim`. */
    readonly claim: (body: ServiceActionClaim, options?: Options<'claimServiceAction'>) => Promise<ClaimedServiceAction>;
    /** Stay at work on an action: `POST /api/v1/service-actions/{id}/heartbeat`. */
    readonly extend: (id: string, body: ServiceActionHeartbeat, options?: Options<'extendServiceAction'>) => Promise<ServiceAction>;
    /** Finish an action: `POST /api/v1/service-actions/{id}/finish`. */
    readonly finish: (id: string, body: ServiceActionFinish, options?: Options<'finishServiceAction'>) => Promise<ServiceAction>;
    /** Cancel an action: `POST /api/v1/service-actions/{id}/cancel`. */
    readonly cancel: (id: string, body?: undefined, options?: Options<'cancelServiceAction'>) => Promise<ServiceAction>;
  };
  readonly services: {
    /** List services: `GET /api/v1/services`. */
    readonly list: (query?: Query<'listServices'>, options?: Options<'listServices'>) => Listing<ServicePage>;
    /** Create a service: `POST /api/v1/services`. */
    readonly create: (body: ServiceCreate, options?: Options<'createService'>) => Promise<Service>;
    /** Create a service, or change the one with this external id: `PUT /api/v1/services`. */
    readonly upsert: (body: ServiceUpsert, options: Options<'upsertService'>) => Promise<Service>;
    /** Count services by a field: `GET /api/v1/services/summary`. */
    readonly summarize: (query?: Query<'summarizeServices'>, options?: Options<'summarizeServices'>) => Promise<ServiceCounts>;
    /** Read a service: `GET /api/v1/services/{id}`. */
    readonly get: (id: string, query?: Query<'getService'>, options?: Options<'getService'>) => Promise<Service>;
    /** Change a service: `PATCH /api/v1/services/{id}`. */
    readonly update: (id: string, body: ServicePatch, options?: Options<'updateService'>) => Promise<Service>;
    /** Delete a service: `DELETE /api/v1/services/{id}`. */
    readonly delete: (id: string, options?: Options<'deleteService'>) => Promise<void>;
    /** List the changes of a service: `GET /api/v1/services/{id}/changes`. */
    readonly listChanges: (id: string, query?: Query<'listServiceChanges'>, options?: Options<'listServiceChanges'>) => Listing<RecordChangeList>;
    /** Restore a service: `POST /api/v1/services/{id}/restore`. */
    readonly restore: (id: string, body?: undefined, options?: Options<'restoreService'>) => Promise<Service>;
    /** Read a service of a client: `GET /api/v1/services/client/{client_id}/{id}`. */
    readonly getOfClient: (clientId: string, id: string, query?: Query<'getServiceOfClient'>, options?: Options<'getServiceOfClient'>) => Promise<Service>;
    /** Move a service with its resources to another client: `POST /api/v1/services/{id}/move`. */
    readonly move: (id: string, body: Move, options?: Options<'moveService'>) => Promise<Service>;
  };
  readonly terminals: {
    /** List terminals: `GET /api/v1/terminals`. */
    readonly list: (query?: Query<'listTerminals'>, options?: Options<'listTerminals'>) => Listing<TerminalPage>;
    /** Create a terminal: `POST /api/v1/terminals`. */
    readonly create: (body: TerminalCreate, options?: Options<'createTerminal'>) => Promise<Terminal>;
    /** Create a terminal, or change the one with this external id: `PUT /api/v1/terminals`. */
    readonly upsert: (body: TerminalUpsert, options: Options<'upsertTerminal'>) => Promise<Terminal>;
    /** Read a terminal: `GET /api/v1/terminals/{id}`. */
    readonly get: (id: string, query?: Query<'getTerminal'>, options?: Options<'getTerminal'>) => Promise<Terminal>;
    /** Change a terminal: `PATCH /api/v1/terminals/{id}`. */
    readonly update: (id: string, body: TerminalPatch, options?: Options<'updateTerminal'>) => Promise<Terminal>;
    /** List the changes of a terminal: `GET /api/v1/terminals/{id}/changes`. */
    readonly listChanges: (id: string, query?: Query<'listTerminalChanges'>, options?: Options<'listTerminalChanges'>) => Listing<RecordChangeList>;
    /** Move a terminal to another client: `POST /api/v1/terminals/{id}/move`. */
    readonly move: (id: string, body: Move, options?: Options<'moveTerminal'>) => Promise<Terminal>;
  };
  readonly tickets: {
    /** List tickets: `GET /api/v1/tickets`. */
    readonly list: (query?: Query<'listTickets'>, options?: Options<'listTickets'>) => Listing<TicketSummaryPage>;
    /** Open a ticket: `POST /api/v1/tickets`. */
    readonly create: (body: TicketCreate, options?: Options<'createTicket'>) => Promise<Ticket>;
    /** Create a ticket, or change the one with this external id: `PUT /api/v1/tickets`. */
    readonly upsert: (body: TicketUpsert, options: Options<'upsertTicket'>) => Promise<Ticket>;
    /** Count tickets by a field: `GET /api/v1/tickets/summary`. */
    readonly summarize: (query?: Query<'summarizeTickets'>, options?: Options<'summarizeTickets'>) => Promise<TicketCounts>;
    /** Read a ticket: `GET /api/v1/tickets/{id}`. */
    readonly get: (id: string, query?: Query<'getTicket'>, options?: Options<'getTicket'>) => Promise<Ticket>;
    /** Change a ticket: `PATCH /api/v1/tickets/{id}`. */
    readonly update: (id: string, body: TicketPatch, options?: Options<'updateTicket'>) => Promise<Ticket>;
    /** Delete a ticket with its messages: `DELETE /api/v1/tickets/{id}`. */
    readonly delete: (id: string, options?: Options<'deleteTicket'>) => Promise<void>;
    /** List the changes of a ticket: `GET /api/v1/tickets/{id}/changes`. */
    readonly listChanges: (id: string, query?: Query<'listTicketChanges'>, options?: Options<'listTicketChanges'>) => Listing<RecordChangeList>;
    /** Merge a ticket into another one: `POST /api/v1/tickets/{id}/merge`. */
    readonly merge: (id: string, body: TicketMerge, options?: Options<'mergeTicket'>) => Promise<Ticket>;
    /** Restore a ticket: `POST /api/v1/tickets/{id}/restore`. */
    readonly restore: (id: string, body?: undefined, options?: Options<'restoreTicket'>) => Promise<Ticket>;
    /** List the messages of a ticket: `GET /api/v1/tickets/{id}/messages`. */
    readonly listMessages: (id: string, query?: Query<'listTicketMessages'>, options?: Options<'listTicketMessages'>) => Listing<TicketMessageList>;
    /** Add a message to a ticket: `POST /api/v1/tickets/{id}/messages`. */
    readonly createMessage: (id: string, body: TicketMessageCreate, options?: Options<'createTicketMessage'>) => Promise<TicketMessage>;
    /** Read a message of a ticket: `GET /api/v1/tickets/{id}/messages/{message_id}`. */
    readonly getMessage: (id: string, messageId: string, query?: Query<'getTicketMessage'>, options?: Options<'getTicketMessage'>) => Promise<TicketMessage>;
    /** Change the text of a message: `PATCH /api/v1/tickets/{id}/messages/{message_id}`. */
    readonly updateMessage: (id: string, messageId: string, body: TicketMessagePatch, options?: Options<'updateTicketMessage'>) => Promise<TicketMessage>;
    /** Delete the text of a message: `DELETE /api/v1/tickets/{id}/messages/{message_id}`. */
    readonly deleteMessage: (id: string, messageId: string, options?: Options<'deleteTicketMessage'>) => Promise<void>;
  };
  readonly token: {
    /** Request a token with OAuth: `POST /api/v1/auth/token`. */
    readonly request: (body: TokenRequest, options?: Options<'requestToken'>) => Promise<AccessTokenResponse>;
  };
  readonly trash: {
    /** List what can be restored: `GET /api/v1/trash`. */
    readonly list: (query?: Query<'listTrash'>, options?: Options<'listTrash'>) => Listing<TrashPage>;
    /** End what can be restored: `DELETE /api/v1/trash/{id}`. */
    readonly endTrashed: (id: string, options?: Options<'endTrashed'>) => Promise<void>;
  };
  readonly usage: {
    /** Read what was used: `GET /api/v1/usage`. */
    readonly get: (query?: Query<'getUsage'>, options?: Options<'getUsage'>) => Promise<Usage>;
  };
  readonly users: {
    /** List users: `GET /api/v1/users`. */
    readonly list: (query?: Query<'listUsers'>, options?: Options<'listUsers'>) => Listing<UserPage>;
    /** Create a user: `POST /api/v1/users`. */
    readonly create: (body: UserCreate, options?: Options<'createUser'>) => Promise<User>;
    /** Create a user, or change the one with this external id: `PUT /api/v1/users`. */
    readonly upsert: (body: UserUpsert, options: Options<'upsertUser'>) => Promise<User>;
    /** Read a user: `GET /api/v1/users/{id}`. */
    readonly get: (id: string, query?: Query<'getUser'>, options?: Options<'getUser'>) => Promise<User>;
    /** Change a user: `PATCH /api/v1/users/{id}`. */
    readonly update: (id: string, body: UserPatch, options?: Options<'updateUser'>) => Promise<User>;
    /** Delete a user without memberships: `DELETE /api/v1/users/{id}`. */
    readonly delete: (id: string, options?: Options<'deleteUser'>) => Promise<void>;
    /** List the changes of a user: `GET /api/v1/users/{id}/changes`. */
    readonly listChanges: (id: string, query?: Query<'listUserChanges'>, options?: Options<'listUserChanges'>) => Listing<RecordChangeList>;
    /** List the identities of a user: `GET /api/v1/users/{id}/identities`. */
    readonly listIdentities: (id: string, query?: Query<'listUserIdentities'>, options?: Options<'listUserIdentities'>) => Listing<IdentityList>;
    /** Read what a user may do: `GET /api/v1/users/{id}/access`. */
    readonly getAccess: (id: string, query?: Query<'getUserAccess'>, options?: Options<'getUserAccess'>) => Promise<UserAccess>;
    /** End the tokens of a user: `POST /api/v1/users/{id}/revoke-tokens`. */
    readonly revokeTokens: (id: string, body?: undefined, options?: Options<'revokeUserTokens'>) => Promise<User>;
    /** Let a user leave: `POST /api/v1/users/{id}/offboard`. */
    readonly offboard: (id: string, body?: undefined, options?: Options<'offboardUser'>) => Promise<Offboarding>;
    /** List the memberships of a user: `GET /api/v1/users/{id}/memberships`. */
    readonly listMemberships: (id: string, query?: Query<'listUserMemberships'>, options?: Options<'listUserMemberships'>) => Listing<MembershipList>;
  };
  readonly webhookEndpoints: {
    /** List webhook endpoints: `GET /api/v1/webhook-endpoints`. */
    readonly list: (query?: Query<'listWebhookEndpoints'>, options?: Options<'listWebhookEndpoints'>) => Listing<WebhookEndpointPage>;
    /** Create a webhook endpoint: `POST /api/v1/webhook-endpoints`. */
    readonly create: (body: WebhookEndpointCreate, options?: Options<'createWebhookEndpoint'>) => Promise<WithSecret<CreatedWebhookEndpoint>>;
    /** Read a webhook endpoint: `GET /api/v1/webhook-endpoints/{id}`. */
    readonly get: (id: string, query?: Query<'getWebhookEndpoint'>, options?: Options<'getWebhookEndpoint'>) => Promise<WebhookEndpoint>;
    /** Change a webhook endpoint: `PATCH /api/v1/webhook-endpoints/{id}`. */
    readonly update: (id: string, body: WebhookEndpointPatch, options?: Options<'updateWebhookEndpoint'>) => Promise<WebhookEndpoint>;
    /** Delete a webhook endpoint: `DELETE /api/v1/webhook-endpoints/{id}`. */
    readonly delete: (id: string, options?: Options<'deleteWebhookEndpoint'>) => Promise<void>;
    /** Give a webhook endpoint a new secret: `POST /api/v1/webhook-endpoints/{id}/rotate-secret`. */
    readonly rotateSecret: (id: string, body: WebhookSecretRotation, options?: Options<'rotateWebhookEndpointSecret'>) => Promise<WithSecret<RotatedWebhookEndpoint>>;
    /** Send an event to an endpoint, as a trial: `POST /api/v1/webhook-endpoints/{id}/ping`. */
    readonly ping: (id: string, body?: undefined, options?: Options<'pingWebhookEndpoint'>) => Promise<Event>;
    /** Verify an endpoint by hand: `POST /api/v1/webhook-endpoints/{id}/verify`. */
    readonly verify: (id: string, body: WebhookVerification, options?: Options<'verifyWebhookEndpoint'>) => Promise<WebhookEndpoint>;
    /** Deliver from another place on: `POST /api/v1/webhook-endpoints/{id}/replay`. */
    readonly replay: (id: string, body: WebhookReplay, options?: Options<'replayWebhookEndpoint'>) => Promise<WebhookEndpoint>;
    /** List failed deliveries of an endpoint: `GET /api/v1/webhook-endpoints/{id}/attempts`. */
    readonly listAttempts: (id: string, query?: Query<'listWebhookEndpointAttempts'>, options?: Options<'listWebhookEndpointAttempts'>) => Listing<DeliveryAttemptPage>;
  };
  readonly webhookEvents: {
    /** List received events: `GET /api/v1/webhook-events`. */
    readonly list: (query?: Query<'listWebhookEvents'>, options?: Options<'listWebhookEvents'>) => Listing<WebhookEventSummaryPage>;
    /** Read a received event: `GET /api/v1/webhook-events/{id}`. */
    readonly get: (id: string, query?: Query<'getWebhookEvent'>, options?: Options<'getWebhookEvent'>) => Promise<WebhookEvent>;
  };
  readonly webhooks: {
    /** Deliver an event: `POST /api/v1/webhooks/{app_code}`. */
    readonly receive: (appCode: string, body: WebhookDelivery, options: Options<'receiveWebhook'>) => Promise<WebhookReceipt>;
  };
  readonly wellKnown: {
    /** Read the token keys: `GET /.well-known/jwks.json`. */
    readonly getTokenKeys: (query?: Query<'getTokenKeys'>, options?: Options<'getTokenKeys'>) => Promise<TokenKeySet>;
    /** Read where clients get tokens: `GET /.well-known/oauth-authorization-server`. */
    readonly getAuthorizationServer: (query?: Query<'getAuthorizationServer'>, options?: Options<'getAuthorizationServer'>) => Promise<AuthorizationServer>;
    /** Read who issues its tokens: `GET /.well-known/oauth-protected-resource`. */
    readonly getProtectedResource: (query?: Query<'getProtectedResource'>, options?: Options<'getProtectedResource'>) => Promise<ProtectedResource>;
  };
}

type Table = { readonly [G in keyof Calls]: { readonly [N in keyof Calls[G]]: string } };

/** Method and path of each. */
export const CALLS: Table = {
  alerts: {
    receiveOfAlertmanager: 'post /api/v1/alerts/alertmanager',
    receive: 'post /api/v1/alerts/custodia',
  },
  attachments: {
    list: 'get /api/v1/tickets/{id}/attachments',
    create: 'post /api/v1/tickets/{id}/attachments',
    get: 'get /api/v1/tickets/{id}/attachments/{attachment_id}',
    delete: 'delete /api/v1/tickets/{id}/attachments/{attachment_id}',
    complete: 'post /api/v1/tickets/{id}/attachments/{attachment_id}/complete',
  },
  auditEvents: {
    list: 'get /api/v1/audit-events',
    get: 'get /api/v1/audit-events/{id}',
  },
  auth: {
    login: 'post /api/v1/auth/login',
  },
  clients: {
    list: 'get /api/v1/clients',
    create: 'post /api/v1/clients',
    upsert: 'put /api/v1/clients',
    get: 'get /api/v1/clients/{id}',
    update: 'patch /api/v1/clients/{id}',
    listChanges: 'get /api/v1/clients/{id}/changes',
    summarize: 'get /api/v1/clients/{id}/summary',
    listActions: 'get /api/v1/clients/{id}/actions',
  },
  docs: {
    get: 'get /api/v1/docs',
    getFile: 'get /api/v1/docs/{file}',
  },
  health: {
    get: 'get /api/v1/health',
  },
  identities: {
    link: 'post /api/v1/users/{id}/identities',
    unlink: 'delete /api/v1/users/{id}/identities/{identity_id}',
  },
  identityProviders: {
    list: 'get /api/v1/identity-providers',
    create: 'post /api/v1/identity-providers',
    get: 'get /api/v1/identity-providers/{id}',
    update: 'patch /api/v1/identity-providers/{id}',
    delete: 'delete /api/v1/identity-providers/{id}',
  },
  integrations: {
    list: 'get /api/v1/integrations',
    create: 'post /api/v1/integrations',
    get: 'get /api/v1/integrations/{id}',
    update: 'patch /api/v1/integrations/{id}',
    rotateSecret: 'post /api/v1/integrations/{id}/rotate-secret',
    revokeTokens: 'post /api/v1/integrations/{id}/revoke-tokens',
  },
  logs: {
    list: 'get /api/v1/logs',
    ingest: 'post /api/v1/logs/ingest',
  },
  maintenanceWindows: {
    list: 'get /api/v1/maintenance-windows',
    create: 'post /api/v1/maintenance-windows',
    get: 'get /api/v1/maintenance-windows/{id}',
    update: 'patch /api/v1/maintenance-windows/{id}',
    delete: 'delete /api/v1/maintenance-windows/{id}',
  },
  mcp: {
    sendMessage: 'post /api/v1/mcp',
  },
  me: {
    get: 'get /api/v1/me',
  },
  memberships: {
    create: 'post /api/v1/users/memberships',
    list: 'get /api/v1/memberships',
    get: 'get /api/v1/memberships/{id}',
    update: 'patch /api/v1/memberships/{id}',
    delete: 'delete /api/v1/memberships/{id}',
  },
  openapi: {
    get: 'get /api/v1/openapi',
  },
  orgs: {
    list: 'get /api/v1/orgs',
    create: 'post /api/v1/orgs',
    get: 'get /api/v1/orgs/{id}',
    update: 'patch /api/v1/orgs/{id}',
  },
  permissions: {
    list: 'get /api/v1/permissions',
  },
  resources: {
    list: 'get /api/v1/resources',
    create: 'post /api/v1/resources',
    upsert: 'put /api/v1/resources',
    get: 'get /api/v1/resources/{id}',
    update: 'patch /api/v1/resources/{id}',
    delete: 'delete /api/v1/resources/{id}',
    listChanges: 'get /api/v1/resources/{id}/changes',
    move: 'post /api/v1/resources/{id}/move',
    restore: 'post /api/v1/resources/{id}/restore',
    listHistory: 'get /api/v1/resources/{id}/history',
    createHistoryEntry: 'post /api/v1/resources/{id}/history',
  },
  roles: {
    list: 'get /api/v1/roles',
    create: 'post /api/v1/roles',
  },
  serviceActions: {
    list: 'get /api/v1/service-actions',
    create: 'post /api/v1/service-actions',
    get: 'get /api/v1/service-actions/{id}',
    claim: 'post /api/v1/service-actions/claim',
    extend: 'post /api/v1/service-actions/{id}/heartbeat',
    finish: 'post /api/v1/service-actions/{id}/finish',
    cancel: 'post /api/v1/service-actions/{id}/cancel',
  },
  services: {
    list: 'get /api/v1/services',
    create: 'post /api/v1/services',
    upsert: 'put /api/v1/services',
    summarize: 'get /api/v1/services/summary',
    get: 'get /api/v1/services/{id}',
    update: 'patch /api/v1/services/{id}',
    delete: 'delete /api/v1/services/{id}',
    listChanges: 'get /api/v1/services/{id}/changes',
    restore: 'post /api/v1/services/{id}/restore',
    getOfClient: 'get /api/v1/services/client/{client_id}/{id}',
    move: 'post /api/v1/services/{id}/move',
  },
  terminals: {
    list: 'get /api/v1/terminals',
    create: 'post /api/v1/terminals',
    upsert: 'put /api/v1/terminals',
    get: 'get /api/v1/terminals/{id}',
    update: 'patch /api/v1/terminals/{id}',
    listChanges: 'get /api/v1/terminals/{id}/changes',
    move: 'post /api/v1/terminals/{id}/move',
  },
  tickets: {
    list: 'get /api/v1/tickets',
    create: 'post /api/v1/tickets',
    upsert: 'put /api/v1/tickets',
    summarize: 'get /api/v1/tickets/summary',
    get: 'get /api/v1/tickets/{id}',
    update: 'patch /api/v1/tickets/{id}',
    delete: 'delete /api/v1/tickets/{id}',
    listChanges: 'get /api/v1/tickets/{id}/changes',
    merge: 'post /api/v1/tickets/{id}/merge',
    restore: 'post /api/v1/tickets/{id}/restore',
    listMessages: 'get /api/v1/tickets/{id}/messages',
    createMessage: 'post /api/v1/tickets/{id}/messages',
    getMessage: 'get /api/v1/tickets/{id}/messages/{message_id}',
    updateMessage: 'patch /api/v1/tickets/{id}/messages/{message_id}',
    deleteMessage: 'delete /api/v1/tickets/{id}/messages/{message_id}',
  },
  token: {
    request: 'post /api/v1/auth/token',
  },
  trash: {
    list: 'get /api/v1/trash',
    endTrashed: 'delete /api/v1/trash/{id}',
  },
  usage: {
    get: 'get /api/v1/usage',
  },
  users: {
    list: 'get /api/v1/users',
    create: 'post /api/v1/users',
    upsert: 'put /api/v1/users',
    get: 'get /api/v1/users/{id}',
    update: 'patch /api/v1/users/{id}',
    delete: 'delete /api/v1/users/{id}',
    listChanges: 'get /api/v1/users/{id}/changes',
    listIdentities: 'get /api/v1/users/{id}/identities',
    getAccess: 'get /api/v1/users/{id}/access',
    revokeTokens: 'post /api/v1/users/{id}/revoke-tokens',
    offboard: 'post /api/v1/users/{id}/offboard',
    listMemberships: 'get /api/v1/users/{id}/memberships',
  },
  webhookEndpoints: {
    list: 'get /api/v1/webhook-endpoints',
    create: 'post /api/v1/webhook-endpoints',
    get: 'get /api/v1/webhook-endpoints/{id}',
    update: 'patch /api/v1/webhook-endpoints/{id}',
    delete: 'delete /api/v1/webhook-endpoints/{id}',
    rotateSecret: 'post /api/v1/webhook-endpoints/{id}/rotate-secret',
    ping: 'post /api/v1/webhook-endpoints/{id}/ping',
    verify: 'post /api/v1/webhook-endpoints/{id}/verify',
    replay: 'post /api/v1/webhook-endpoints/{id}/replay',
    listAttempts: 'get /api/v1/webhook-endpoints/{id}/attempts',
  },
  webhookEvents: {
    list: 'get /api/v1/webhook-events',
    get: 'get /api/v1/webhook-events/{id}',
  },
  webhooks: {
    receive: 'post /api/v1/webhooks/{app_code}',
  },
  wellKnown: {
    getTokenKeys: 'get /.well-known/jwks.json',
    getAuthorizationServer: 'get /.well-known/oauth-authorization-server',
    getProtectedResource: 'get /.well-known/oauth-protected-resource',
  },
};
