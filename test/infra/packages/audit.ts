import * as z from 'zod';

/** What `npm audit --json` prints: a report, or why there is none. */

const report = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.enum(['info', 'low', 'moderate', 'high', 'critical']), range: z.string() }),
  ),
});

const failure = z.object({
  message: z.string().optional(),
  error: z.object({ code: z.string().nullish(), summary: z.string().nullish() }).optional(),
});

export interface Audit {
  /** Undefined: the registry was not called, or did not respond. */
  readonly isWell: boolean | undefined;
  readonly lines: readonly string[];
}

/** From here on a finding is an error. Lesser ones are told. */
const SERIOUS: readonly string[] = ['high', 'critical'];

/** @param output what it has printed, `status` its exit code: a report is believed only with the one that fits it */
export function auditOf(output: string, status: number | null): Audit {
  const printed = parsed(output);
  const { data } = report.safeParse(printed);
  if (data === undefined || (Object.keys(data.vulnerabilities).length === 0) !== (status === 0)) {
    return { isWell: undefined, lines: [`The scan for known vulnerabilities did NOT run: ${reasonOf(printed)}.`] };
  }
  const found = Object.entries(data.vulnerabilities).map(([name, { severity, range }]) => ({
    line: `${severity.padEnd(8)}  ${name} ${range}`,
    isSerious: SERIOUS.includes(severity),
  }));
  return {
    isWell: !found.some(({ isSerious }) => isSerious),
    lines: [...found.map(({ line }) => line), `Packages with known vulnerabilities: ${found.length}.`],
  };
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

function reasonOf(printed: unknown): string {
  const { message, error } = failure.safeParse(printed).data ?? {};
  return message ?? error?.summary ?? error?.code ?? 'npm audit printed no report';
}
