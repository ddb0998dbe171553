import * as z from 'zod';
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
  /**
   * When the first backup is there at the latest: a day after vault and table have been made. Null once there is one.
   */
  readonly first_due_at: string | null;
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
  const pointInTime = await pointInTimeOf(table);
  const found = vault === undefined ? null : await vaultOf(vault, table, pointInTime, now);
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

function problemsIn({ name, first_due_at, recovery_points: [newest], failed_jobs }: Vault, now: number): string[] {
  const failed = failed_jobs.map(({ id, state, message }) => `Job ${id} is ${state}: ${message ?? 'no reason given'}`);
  if (newest === undefined) {
    const isDue = first_due_at === null || now > Date.parse(first_due_at);
    return [...(isDue ? [`The vault ${name} has no backup of the table.`] : []), ...failed];
  }
  const age = now - Date.parse(newest.created_at);
  return [
    ...(age > OLDEST_MS ? [`The newest backup is ${Math.floor(age / HOUR_MS)} hours old.`] : []),
    // A later backup that succeeded ends the problem.
    ...failed_jobs.flatMap(({ created_at }, index) => (created_at > newest.created_at ? (failed[index] ?? []) : [])),
  ];
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeContinuousBackups.html */
const recoverySchema = z.object({
  ContinuousBackupsDescription: z
    .object({
      PointInTimeRecoveryDescription: z
        .object({
          PointInTimeRecoveryStatus: z.string().optional(),
          EarliestRestorableDateTime: z.number().optional(),
          LatestRestorableDateTime: z.number().optional(),
        })
        .optional(),
    })
    .optional(),
});

async function pointInTimeOf(table: string): Promise<Backups['point_in_time']> {
  const response = await callDynamoDb('DescribeContinuousBackups', { TableName: table }, recoverySchema);
  const described = response.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } = described ?? {};
  if (described?.PointInTimeRecoveryStatus !== 'ENABLED' || earliest === undefined || latest === undefined) return null;
  return { earliest: timeOf(earliest), latest: timeOf(latest) };
}

/** https://docs.aws.amazon.com/aws-backup/latest/devguide/API_DescribeBackupVault.html */
const vaultSchema = z.object({ CreationDate: z.number() });

/** https://docs.aws.amazon.com/aws-backup/latest/devguide/API_RecoveryPointByBackupVault.html */
const pointSchema = z.object({
  RecoveryPointArn: z.string(),
  ResourceArn: z.string().optional(),
  Status: z.string().optional(),
  CreationDate: z.number(),
  BackupSizeInBytes: z.number().default(0),
  CalculatedLifecycle: z.object({ DeleteAt: z.number().optional() }).optional(),
});
type Point = z.infer<typeof pointSchema>;

const jobSchema = z.object({
  BackupJobId: z.string(),
  State: z.string(),
  CreationDate: z.number(),
  StatusMessage: z.string().optional(),
});
type Job = z.infer<typeof jobSchema>;

/** A job that copies a backup into another vault. AWS Backup lists such jobs separately. */
const copyJobSchema = jobSchema
  .omit({ BackupJobId: true })
  .extend({ CopyJobId: z.string(), ResourceArn: z.string().optional() });

async function vaultOf(name: string, table: string, recovery: Backups['point_in_time'], now: number): Promise<Vault> {
  const createdAfter = new Date(now - JOBS_MS).toISOString();
  const isOfTable = ({ ResourceArn = '' }: { readonly ResourceArn?: string | undefined }): boolean =>
    ResourceArn.endsWith(`:table/${table}`);
  const path = `/backup-vaults/${encodeURIComponent(name)}`;
  const [{ CreationDate: made }, points, jobs, copies] = await Promise.all([
    readBackup(path, {}, vaultSchema),
    pagesOf(`${path}/recovery-points/`, 'RecoveryPoints', pointSchema),
    pagesOf('/backup-jobs/', 'BackupJobs', jobSchema, { backupVaultName: name, createdAfter }),
    pagesOf('/copy-jobs/', 'CopyJobs', copyJobSchema, { createdAfter }),
  ]);
  const complete = points.filter((each) => isOfTable(each) && each.Status === 'COMPLETED').toSorted(newestFirst);
  // A table can be restored since its recovery was enabled, when it was made, or for 35 days.
  const began = Math.max(made * 1000, recovery === null ? 0 : Date.parse(recovery.earliest));
  const copying = copies.filter(isOfTable).map(({ CopyJobId, ...job }) => ({ ...job, BackupJobId: CopyJobId }));
  return {
    name,
    first_due_at: complete.length > 0 ? null : new Date(began + OLDEST_MS).toISOString(),
    recovery_points: complete.map(recoveryPoint),
    failed_jobs: [...jobs, ...copying]
      .filter(({ State }) => FAILED.includes(State))
      .toSorted(newestFirst)
      .map(failedJob),
  };
}

async function pagesOf<T>(
  path: string,
  member: string,
  schema: z.ZodType<T>,
  query: Readonly<Record<string, string>> = {},
): Promise<T[]> {
  const page = z.object({ [member]: z.array(schema).default([]), NextToken: z.string().optional() });
  const all: T[] = [];
  let nextToken: string | undefined;
  do {
    const response = await readBackup(path, { ...query, ...(nextToken === undefined ? {} : { nextToken }) }, page);
    all.push(...(response[member] as T[]));
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
  bytes: point.BackupSizeInBytes,
  delete_at: point.CalculatedLifecycle?.DeleteAt === undefined ? null : timeOf(point.CalculatedLifecycle.DeleteAt),
});

const failedJob = ({ BackupJobId: id, State: state, CreationDate, StatusMessage: message }: Job): FailedJob => ({
  id,
  state,
  created_at: timeOf(CreationDate),
  message: message ?? null,
});
