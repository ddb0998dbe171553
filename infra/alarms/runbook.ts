/** What somebody is told of an alarm. */
export interface AlarmDescription {
  /** What happened. */
  readonly meaning: string;
  /** The row of the table in `docs/operations.md` that says what to do. */
  readonly runbook: string;
}

/** The words of the mail. Tests compare them with the page. */
export const descriptionOf = ({ meaning, runbook }: AlarmDescription): string =>
  `${meaning}. Runbook: docs/operations.md#alarm-${runbook}`;
