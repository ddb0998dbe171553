import type { Actor, Origin } from '#identity';

/** The origin of a request's changes, for its audit events. */
export class AuditOrigin {
  /** Audited records cannot be changed without it. */
  origin: Origin | undefined;

  /** Sets the actor of the following changes, when it was not known at first: the sender of a webhook. */
  actAs(actor: Actor, operation: string): void {
    this.origin = { requestId: null, sourceAddress: null, ...this.origin, actor, operation };
  }
}
