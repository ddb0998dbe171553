import { declaredEntities } from '../all-entities.ts';
import type { TrashedRecord } from './contract.ts';

/** A kind of records that can be restored, as far as the trash needs it. */
interface RestorableKind {
  readonly name: string;
  readonly kind: TrashedRecord['kind'];
  /** Its name in audit events: `Ticket`. */
  readonly recordType: string;
  /** The names of the kinds of records below one. */
  readonly below: readonly string[];
}

const all = await declaredEntities();

/** Bundles hold this list instead of the contracts. */
export const kinds: readonly RestorableKind[] = all.flatMap(({ name, record, restorable }) =>
  restorable === undefined || record === undefined
    ? []
    : [
        {
          name,
          kind: `${name.toLowerCase()}s` as TrashedRecord['kind'],
          recordType: record.name,
          below: (restorable.below?.() ?? []).map((child) => child.name),
        },
      ],
);
