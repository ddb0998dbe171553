/** The text of an alarm's notification. */
export interface AlarmDescription {
  /** What happened. */
  readonly meaning: string;
  /** The row of the table in `docs/operations.md` with the remedy. */
  readonly runbook: string;
}

/** The words of the mail. Tests compare them with the page. */
export const descriptionOf = ({ meaning, runbook }: AlarmDescription): string =>
  `${meaning}. Runbook: docs/operations.md#alarm-${runbook}`;
