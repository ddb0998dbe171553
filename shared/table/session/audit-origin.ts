import type { Actor, Origin } from '#identity';

/** Who makes the changes of a request, and how, for its audit events. */
export class AuditOrigin {
  /** Without it no audited record can be changed. */
  origin: Origin | undefined;

  /** Sets the actor of the following changes, when it was not known at first: the sender of a webhook. */
  actAs(actor: Actor, operation: string): void {
    this.origin = { requestId: null, sourceAddress: null, ...this.origin, actor, operation };
  }
}
