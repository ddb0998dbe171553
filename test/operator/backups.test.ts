import { afterEach, describe, expect, it } from 'vitest';
import { backupsOf } from '../../operator/backups.ts';
import { backupLines } from '../../operator/commands/stage.ts';
import { type AwsStub, startAwsStub } from '../support/aws-stub.ts';
import '../support/restore.ts';

/** What `backup status` says, against AWS Backup and DynamoDB as their references describe them. */

const NOW = Date.UTC(2026, 10, 20, 12);
const HOUR = 3_600;
const ago = (hours: number): number => NOW / 1000 - hours * HOUR;

const RECOVERY = {
  PointInTimeRecoveryStatus: 'ENABLED',
  EarliestRestorableDateTime: ago(35 * 24),
  LatestRestorableDateTime: ago(0.1),
};
const point = (hours: number, change: object = {}) => ({
  RecoveryPointArn: `arn:${hours}`,
  ResourceArn: 'arn:aws:dynamodb:eu-west-1:111122223333:table/records',
  Status: 'COMPLETED',
  CreationDate: ago(hours),
  BackupSizeInBytes: 1_000,
  ...change,
});
const job = (hours: number, State: string) => ({
  BackupJobId: `job-${hours}`,
  State,
  CreationDate: ago(hours),
  StatusMessage: 'no space',
});

let stub: AwsStub | undefined;
afterEach(() => stub?.stop());

const copy = (hours: number, State: string, table = 'records') => ({
  CopyJobId: `copy-${hours}`,
  State,
  CreationDate: ago(hours),
  ResourceArn: `arn:aws:dynamodb:eu-west-1:111122223333:table/${table}`,
  StatusMessage: 'may not',
});

interface Given {
  readonly recovery?: object;
  /** Age of the vault, in hours. */
  readonly vaultAge?: number;
  readonly points?: readonly object[];
  readonly jobs?: readonly object[];
  readonly copies?: readonly object[];
}

async function backupsWith({ recovery = RECOVERY, vaultAge = 1_000, points = [], jobs = [], copies = [] }: Given = {}) {
  stub = await startAwsStub(({ what, input }) => {
    if (what === 'dynamodb.DescribeContinuousBackups') {
      expect(input).toEqual({ TableName: 'records' });
      return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription: recovery } };
    }
    if (what === 'backup/backup-jobs/') {
      expect(input).toEqual({ backupVaultName: 'prod-vault', createdAfter: '2026-11-13T12:00:00.000Z' });
      return { BackupJobs: jobs };
    }
    if (what === 'backup/copy-jobs/') {
      expect(input).toEqual({ createdAfter: '2026-11-13T12:00:00.000Z' });
      return { CopyJobs: copies };
    }
    if (what === 'backup/backup-vaults/prod-vault') return { CreationDate: ago(vaultAge) };
    expect(what).toBe('backup/backup-vaults/prod-vault/recovery-points/');
    // One in a page.
    const page = Number(input.nextToken ?? 0);
    return {
      RecoveryPoints: points.slice(page, page + 1),
      ...(page + 1 < points.length ? { NextToken: `${page + 1}` } : {}),
    };
  });
  return backupsOf('records', 'prod-vault', NOW);
}

describe('the backups of a stage', () => {
  it('are listed newest first, with nothing wrong', async () => {
    const { problems, vault, point_in_time } = await backupsWith({
      points: [
        point(34),
        point(10),
        point(1, { Status: 'PARTIAL' }),
        point(2, { ResourceArn: 'arn:x:table/other-records' }),
      ],
      jobs: [job(11, 'FAILED'), job(10, 'COMPLETED')],
    });
    expect(problems).toEqual([]);
    expect(vault?.recovery_points.map(({ arn, bytes }) => [arn, bytes])).toEqual([
      ['arn:10', 1_000],
      ['arn:34', 1_000],
    ]);
    expect(vault?.failed_jobs.map(({ id }) => id)).toEqual(['job-11']);
    expect(point_in_time).toEqual({ earliest: '2026-10-16T12:00:00.000Z', latest: '2026-11-20T11:54:00.000Z' });
  });

  it.each([
    ['the newest is 27 hours old', { points: [point(27)] }, ['The newest backup is 27 hours old.']],
    ['it is 26', { points: [point(26)] }, []],
    ['there is none', {}, ['The vault prod-vault has no backup of the table.']],
    ['there is none a day after', { vaultAge: 27 }, ['The vault prod-vault has no backup of the table.']],
    ['the first failed', { vaultAge: 25, jobs: [job(1, 'FAILED')] }, ['Job job-1 is FAILED: no space']],
    ['one failed since', { points: [point(20)], jobs: [job(3, 'EXPIRED')] }, ['Job job-3 is EXPIRED: no space']],
    [
      'a copy failed since',
      { points: [point(20)], copies: [copy(19, 'FAILED'), copy(43, 'FAILED'), copy(18, 'FAILED', 'other')] },
      ['Job copy-19 is FAILED: may not'],
    ],
    [
      'there is no recovery',
      { points: [point(3)], recovery: { PointInTimeRecoveryStatus: 'DISABLED' } },
      ['The table has no point-in-time recovery.'],
    ],
    [
      'recovery stands still',
      { points: [point(3)], recovery: { ...RECOVERY, LatestRestorableDateTime: ago(3) } },
      ['Point-in-time recovery reaches only to 2026-11-20T09:00:00.000Z.'],
    ],
  ])('say so where %s', async (_, given, problems) => {
    const backups = await backupsWith(given);
    expect(backups.problems).toEqual(problems);
    for (const problem of problems) expect(backupLines(backups, NOW)).toContain(`WRONG  ${problem}`);
  });

  it.each([
    ['the vault is of today', { vaultAge: 2 }, '2026-11-21T12:00:00.000Z'],
    ['the table is', { recovery: { ...RECOVERY, EarliestRestorableDateTime: ago(3) } }, '2026-11-21T11:00:00.000Z'],
  ])('are not there before the first night where %s, and nothing is wrong', async (_, given, due) => {
    const backups = await backupsWith(given);
    expect(backups.problems).toEqual([]);
    expect(backups.vault).toMatchObject({ first_due_at: due, recovery_points: [] });
    expect(backupLines(backups, NOW)).toContain(
      `Daily backups: none yet in the vault prod-vault; the first is due by ${due}`,
    );
  });

  it('have members of null as if they were absent', async () => {
    const empty = { StatusMessage: null, BackupSizeInBytes: null, CalculatedLifecycle: null };
    const { problems, vault } = await backupsWith({
      points: [point(3, empty)],
      jobs: [{ ...job(2, 'FAILED'), ...empty }],
    });
    expect(problems).toEqual(['Job job-2 is FAILED: no reason given']);
    expect(vault?.recovery_points).toMatchObject([{ bytes: 0, delete_at: null }]);
  });

  it('are those of point-in-time recovery alone where the stage makes no others', async () => {
    await backupsWith();
    const backups = await backupsOf('records', undefined, NOW);
    expect([backups.vault, backups.problems]).toEqual([null, []]);
    expect(backupLines(backups, NOW).join('\n')).toContain('none, as the setting backupRetentionDays says');
  });
});
