/** Bugs as somebody might make them, in the sources of a server. A history in which one shows must be complained of. */
export interface Bug {
  readonly name: string;
  readonly file: string;
  /** What stands there once, and what is put in its place. */
  readonly from: string;
  readonly to: string;
  /** Whether the table contradicts itself, so that `custodia verify` finds it too. */
  readonly isInTable: boolean;
}

export const BUGS: readonly Bug[] = [
  {
    name: 'a fence overwrites a record',
    file: 'shared/table/lists/fence.ts',
    from: 'putRequest(table.name, { item, condition: { exists: false } })',
    to: 'putRequest(table.name, { item, condition: {} })',
    isInTable: true,
  },
  {
    name: 'a lost number is never overdue',
    file: 'shared/table/lists/grace-period.ts',
    from: 'isPast(Number(at ?? 0), now) || Number(next ?? 0) - number > GRACE_PERIOD.numbers || number < settled;',
    to: 'false;',
    isInTable: true,
  },
  {
    name: 'a change has no condition',
    file: 'shared/table/repository/repository.ts',
    from: 'condition: { equals: asRead(stored) },',
    to: 'condition: { exists: true },',
    isInTable: true,
  },
  {
    name: 'a deletion leaves the record in its sets',
    file: 'shared/table/repository/repository.ts',
    from: 'this.lists.stageMove(this.work, entry, item, undefined);',
    to: '',
    isInTable: true,
  },
  {
    name: 'a record stays in the set that it leaves',
    file: 'shared/table/repository/entity-lists.ts',
    from: 'if (left !== undefined) stageExit(work, { number, expires, set: setOf(left) });',
    to: '',
    isInTable: true,
  },
  {
    name: 'a unique value is not claimed',
    file: 'shared/table/repository/unique-constraints.ts',
    from: 'for (const [field, value] of this.#of(record)) this.#take(work, field, value, id, refusalOf(field));',
    to: '',
    isInTable: true,
  },
  {
    name: 'a counter is not moved',
    file: 'shared/table/repository/derived-fields.ts',
    from: '{ add: { ...add, [MOVES]: 1 } }',
    to: '{ add: { [MOVES]: 1 } }',
    isInTable: true,
  },
  {
    name: 'a commit does not know its own writes',
    file: 'shared/table/transaction/commit.ts',
    from: 'found !== undefined && (found[WRITE_ID] === attempt',
    to: 'found === null && (found[WRITE_ID] === attempt',
    // The table is right: the record was deleted, and its client was told that it was never there.
    isInTable: false,
  },
  {
    name: 'a commit takes what others wrote for its own',
    file: 'shared/table/transaction/commit.ts',
    from: 'found[WRITE_ID] === attempt',
    to: 'found[WRITE_ID] !== undefined',
    // What was acknowledged was never written.
    isInTable: false,
  },
];
