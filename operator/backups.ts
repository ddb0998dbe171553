import { callDynamoDb, readBackup } from './aws.ts';

/** The backups that a table can be restored from. */

export interface Backups {
  readonly table: string;
  /** The window in which the table can be restored. Null: it has no point-in-time recovery. */
  readonly point_in_time: { readonly earliest: string; readonly latest: string } | null;
  /** Null: the stage makes no daily backups (`backupRetentionDays`). */
  readonly vault: Vault | null;
  /** Problems, one sentence each. */
  readonly problems: readonly string[];
}

interface Vault {
  readonly name: string;
  /** Complete backups of the table, the newest first. */
  readonly recovery_points: readonly RecoveryPoint[];
  /** Jobs of the last days that failed to make a backup, or to copy it into another vault. */
  readonly failed_jobs: readonly FailedJob[];
}

interface RecoveryPoint {
  readonly arn: string;
  readonly created_at: string;
  readonly bytes: number;
  readonly delete_at: string | null;
}

interface FailedJob {
  readonly id: string;
  readonly state: string;
  readonly created_at: string;
  readonly message: string | null;
}

const HOUR_MS = 3_600_000;
/** A daily backup begins within an hour of its scheduled time, and takes some time. */
const OLDEST_MS = 26 * HOUR_MS;
/**
 * The latest restorable time is about five minutes ago:
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PointInTimeRecoveryDescription.html
 */
const LAG_MS = HOUR_MS;
/** How far back jobs are read, in milliseconds. */
const JOBS_MS = 7 * 24 * HOUR_MS;
/**
 * States of jobs that have failed: https://docs.aws.amazon.com/aws-backup/latest/devguide/API_BackupJob.html,
 * https://docs.aws.amazon.com/aws-backup/latest/devguide/API_CopyJob.html
 */
const FAILED = ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'];

/** @param vault the vault of the daily backups, if there is one */
export async function backupsOf(table: string, vault: string | undefined, now: number): Promise<Backups> {
  const [pointInTime, found] = await Promise.all([
    pointInTimeOf(table),
    vault === undefined ? null : vaultOf(vault, table, now),
  ]);
  return {
    table,
    point_in_time: pointInTime,
    vault: found,
    problems: [...problemsOf(pointInTime, now), ...(found === null ? [] : problemsIn(found, now))],
  };
}

function problemsOf(window: Backups['point_in_time'], now: number): string[] {
  if (window === null) return ['The table has no point-in-time recovery.'];
  const age = now - Date.parse(window.latest);
  return age > LAG_MS ? [`Point-in-time recovery reaches only to ${window.latest}.`] : [];
}

function problemsIn({ name, recovery_points: [newest], failed_jobs }: Vault, now: number): string[] {
  const failed = failed_jobs.map(({ id, state, message }) => `Job ${id} is ${state}: ${message ?? 'no reason given'}`);
  if (newest === undefined) return [`The vault ${name} has no backup of the table.`, ...failed];
  const age = now - Date.parse(newest.created_at);
  return [
    ...(age > OLDEST_MS ? [`The newest backup is ${Math.floor(age / HOUR_MS)} hours old.`] : []),
    // A later backup that succeeded ends the problem.
    ...failed_jobs.flatMap(({ created_at }, index) => (created_at > newest.created_at ? (failed[index] ?? []) : [])),
  ];
}

interface Described {
  readonly ContinuousBackupsDescription?: {
    readonly PointInTimeRecoveryDescription?: {
      readonly PointInTimeRecoveryStatus?: string;
      readonly EarliestRestorableDateTime?: number;
      readonly LatestRestorableDateTime?: number;
    };
  };
}

async function pointInTimeOf(table: string): Promise<Backups['point_in_time']> {
  const response: Described = await callDynamoDb('DescribeContinuousBackups', { TableName: table });
  const described = response.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } = described ?? {};
  if (described?.PointInTimeRecoveryStatus !== 'ENABLED' || earliest === undefined || latest === undefined) return null;
  return { earliest: timeOf(earliest), latest: timeOf(latest) };
}

interface Point {
  readonly RecoveryPointArn: string;
  readonly ResourceArn?: string;
  readonly Status?: string;
  readonly CreationDate: number;
  readonly BackupSizeInBytes?: number;
  readonly CalculatedLifecycle?: { readonly DeleteAt?: number };
}

interface Job {
  readonly BackupJobId: string;
  readonly State: string;
  readonly CreationDate: number;
  readonly StatusMessage?: string;
}

/** A job that copies a backup into another vault. AWS Backup lists such jobs separately. */
interface CopyJob extends Omit<Job, 'BackupJobId'> {
  readonly CopyJobId: string;
  readonly ResourceArn?: string;
}

async function vaultOf(name: string, table: string, now: number): Promise<Vault> {
  const createdAfter = new Date(now - JOBS_MS).toISOString();
  const isOfTable = ({ ResourceArn = '' }: { readonly ResourceArn?: string }): boolean =>
    ResourceArn.endsWith(`:table/${table}`);
  const [points, jobs, copies] = await Promise.all([
    pagesOf<Point>(`/backup-vaults/${encodeURIComponent(name)}/recovery-points/`, 'RecoveryPoints'),
    pagesOf<Job>('/backup-jobs/', 'BackupJobs', { backupVaultName: name, createdAfter }),
    pagesOf<CopyJob>('/copy-jobs/', 'CopyJobs', { createdAfter }),
  ]);
  const copying = copies.filter(isOfTable).map(({ CopyJobId, ...job }) => ({ ...job, BackupJobId: CopyJobId }));
  return {
    name,
    recovery_points: points
      .filter((each) => isOfTable(each) && each.Status === 'COMPLETED')
      .toSorted(newestFirst)
      .map(recoveryPoint),
    failed_jobs: [...jobs, ...copying]
      .filter(({ State }) => FAILED.includes(State))
      .toSorted(newestFirst)
      .map(failedJob),
  };
}

async function pagesOf<T>(path: string, member: string, query: Readonly<Record<string, string>> = {}): Promise<T[]> {
  const all: T[] = [];
  let nextToken: string | undefined;
  do {
    const response = await readBackup(path, { ...query, ...(nextToken === undefined ? {} : { nextToken }) });
    all.push(...((response[member] ?? []) as T[]));
    nextToken = response.NextToken as string | undefined;
  } while (nextToken !== undefined);
  return all;
}

type Dated = { readonly CreationDate: number };
const newestFirst = (one: Dated, other: Dated): number => other.CreationDate - one.CreationDate;

/** AWS gives epoch seconds. */
const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

const recoveryPoint = (point: Point): RecoveryPoint => ({
  arn: point.RecoveryPointArn,
  created_at: timeOf(point.CreationDate),
  bytes: point.BackupSizeInBytes ?? 0,
  delete_at: point.CalculatedLifecycle?.DeleteAt === undefined ? null : timeOf(point.CalculatedLifecycle.DeleteAt),
});

const failedJob = ({ BackupJobId: id, State: state, CreationDate, StatusMessage: message }: Job): FailedJob => ({
  id,
  state,
  created_at: timeOf(CreationDate),
  message: message ?? null,
});
