import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type OnConditionFailed, serverTime } from '@custodia/counted-lists';
import type { Caller } from '#identity';
import { readHistory } from './history.ts';
import { PLATFORM, type TenantId, tenantIdOf, tenantPartition, uniqueKey } from './keys.ts';
import { AuditLog, auditEventEntity, auditing } from './repository/audit-events.ts';
import { finishCascadeDeletes } from './repository/cascade-delete.ts';
import { ChildRepository } from './repository/child-repository.ts';
import { ClientChildRepository, ClientRepository } from './repository/client-repository.ts';
import { DeduplicationStore } from './repository/deduplication-store.ts';
import type { Entity, RecordObserver } from './repository/entity.ts';
import { journalEntity, journalOf, type RecordChange } from './repository/journal.ts';
import type { Stored } from './repository/records.ts';
import { Repository } from './repository/repository.ts';
import { TrashRepository } from './repository/trash-repository.ts';
import type { RequestSession } from './session/request-session.ts';

/**
 * The handle to one tenant's data, and the only access to it. It is made from a verified caller, from an integration's
 * stored credentials, for an organization that is about to be created, or to verify who signs in.
 */
export class Tenant {
  /** `PLATFORM` or the organization's id. */
  readonly id: TenantId;
  readonly session: RequestSession;
  /** The clients whose records it has; null: those of the whole tenant. */
  readonly clients: Caller['clients'];

  private constructor(id: TenantId, session: RequestSession, clients: Caller['clients'] = null) {
    this.id = id;
    this.session = session;
    this.clients = clients;
  }

  /** The tenant of a caller: its organization, or the platform. */
  static of(caller: Caller, session: RequestSession): Tenant {
    return new Tenant(tenantIdOf(caller.orgId), session, caller.clients);
  }

  /**
   * The organization that a caller names: a caller of an organization may name its own, a platform caller any.
   * @returns undefined where the caller may not act for it
   */
  static named(orgId: string, caller: Caller, session: RequestSession): Tenant | undefined {
    const mayName = caller.orgId === null || caller.orgId === orgId;
    return mayName ? new Tenant(orgId as TenantId, session, caller.clients) : undefined;
  }

  /** The tenant of stored credentials. */
  static ofCredentials(credentials: { readonly tenant: TenantId }, session: RequestSession): Tenant {
    return new Tenant(credentials.tenant, session);
  }

  /**
   * The organization that a request for a token names, to find out who sends it. Its identity provider's signature
   * decides whether anything of it is returned (`functions/auth/exchange.ts`).
   */
  static ofSignIn(orgId: string, session: RequestSession): Tenant {
    return new Tenant(orgId as TenantId, session);
  }

  /** The tenant of an entry of a register of all tenants: of endpoints for webhooks, or of alerts that are held. */
  static ofRegistered(entry: { readonly tenant: TenantId }, session: RequestSession): Tenant {
    return new Tenant(entry.tenant, session);
  }

  /** The platform, for the operator's commands, which run with the operator's own rights. Never used by a request. */
  static ofPlatform(session: RequestSession): Tenant {
    return new Tenant(PLATFORM, session);
  }

  /** The platform (`PLATFORM`) or an organization (its id), for the operator's commands. */
  static ofOperator(id: string, session: RequestSession): Tenant {
    return new Tenant(id as TenantId, session);
  }

  /** The tenant of an organization that is about to be created under a fresh random id. */
  static ofNewOrganization(orgId: string, session: RequestSession): Tenant {
    return new Tenant(orgId as TenantId, session);
  }

  /** The organization's id; null for the platform. */
  get orgId(): string | null {
    return this.id === PLATFORM ? null : this.id;
  }

  /** The time by the clock of DynamoDB, in epoch milliseconds: clocks of functions differ. */
  get serverTime(): number {
    return serverTime(this.session.tables.of(this.id), this.session.clock);
  }

  /** All records of a kind. If they are audited or journaled, what happens to them stages events in this tenant. */
  records<T extends object>(entity: Entity<T>): Repository<T> {
    const location = { partition: tenantPartition(this.id, entity.name) };
    const observers = this.#observersOf(entity);
    if (this.clients !== null && entity.ofClient !== null)
      return new ClientRepository(this.clients, this.session, this.id, entity, location, observers);
    return new Repository(this.session, this.id, entity, location, observers);
  }

  #observersOf<T extends object>(kind: Entity<T>, parentId?: string): RecordObserver[] {
    const { audited, auditedFields, journaled } = kind;
    return [
      ...(audited === undefined ? [] : [auditing(this.auditLog(audited), auditedFields)]),
      ...(journaled === undefined ? [] : [journalOf(this.records(journalEntity), kind, parentId)]),
    ];
  }

  /** The last changes of a record as read (`history.ts`). */
  historyOf(stored: Pick<Stored<object>, 'item'>): Promise<readonly RecordChange[]> {
    return readHistory(this.session, this.id, stored);
  }

  /**
   * Stages the condition that a record holds a normalized value of a unique field at commit, as `idOf` has read it.
   * @param kind name of its entity
   */
  requireHolder(kind: string, field: string, value: string, holder: string, refusal: OnConditionFailed): void {
    this.session.changes.of(this.id).require(uniqueKey(this.id, kind, field, value), { holder }, refusal);
  }

  /** The audit log, for changes that no repository sees: an integration's secrets are stored with its credentials. */
  auditLog(recordType: string): AuditLog {
    return new AuditLog(this.records(auditEventEntity), recordType);
  }

  /** The records of a kind that belong to one record of its parent: the messages of a ticket. */
  below<T extends object>(entity: Entity<T>, parentId: string): ChildRepository<T> {
    const { parent } = entity;
    if (parent === undefined) throw new TypeError(`${entity.name} declares no parent`);
    const partition = tenantPartition(this.id, parent.name, parentId, entity.name);
    const parents = this.records(parent);
    const location = { partition, parent: { key: parents.keyOf(parentId), id: parentId } };
    const observers = this.#observersOf(entity, parentId);
    if (parents instanceof ClientRepository)
      return new ClientChildRepository(parents, this.session, this.id, entity, location, observers);
    return new ChildRepository(this.session, this.id, entity, location, observers);
  }

  /** The deleted records of a kind that can be restored. @throws Error in a request that sees some clients only */
  trashOf<T extends object>(entity: Entity<T>): TrashRepository<T> {
    if (this.clients !== null) throw new Error('a request that sees some clients only has no trash');
    const location = { partition: tenantPartition(this.id, entity.name) };
    return new TrashRepository(this.session, this.id, entity, location, this.#observersOf(entity));
  }

  /**
   * The ids of events that an integration has sent, or of requests of a caller: two callers may use the same id. Of
   * tokens that were exchanged: their digests.
   */
  deduplication<V extends object>(
    ...scope: readonly ['EVENT' | 'REQUEST', callerId: string] | readonly ['TOKEN']
  ): DeduplicationStore<V> {
    return new DeduplicationStore<V>(this.session, this.id, scope.join('#'));
  }

  /**
   * Finishes the tenant's pending cascade deletes (`cascade-delete.ts`), as long as the session has time.
   * @returns whether all are finished
   */
  finishCascadeDeletes(): Promise<boolean> {
    return finishCascadeDeletes(this.session.tables.of(this.id), this.id, this.session);
  }

  /** Whether the organization exists; the platform always does. */
  async exists(): Promise<boolean> {
    if (this.id === PLATFORM) return true;
    const table = this.session.tables.of(this.id);
    const { Item: item } = await table.client.send(
      new GetCommand({
        TableName: table.name,
        Key: { PK: tenantPartition(this.id, 'ORG'), SK: this.id },
        ConsistentRead: true,
      }),
    );
    return item !== undefined;
  }
}
