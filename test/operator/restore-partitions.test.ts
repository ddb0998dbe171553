import { describe, expect, it } from 'vitest';
import type { TenantId } from '#table';
import { kinds } from '../../operator/kinds.ts';
import { treatmentOf } from '../../operator/maintenance/restore/copy.ts';
import { RESTORABLE } from '../../operator/restore.ts';

/** What a restoration touches. A partition that nobody thought of stays as it is. */

const TENANT = 'acme' as TenantId;
const treated = (name: string) => treatmentOf(`ORG#acme#${name}`, TENANT, RESTORABLE);

describe('a restoration', () => {
  const others = kinds
    .map(({ entity }) => entity.name)
    .filter((name) => !/^(INTEGRATION|IDENTITY(_PROVIDER)?|WEBHOOK_ENDPOINT|AUDIT_EVENT|EVENT)$/.test(name));

  it.each(others)('replaces %s with all that belongs to it', (name) => {
    for (const part of ['', '#SET', '#status=open#SET', '#WORDS', '#at#ORDER', '#1#MESSAGE', '#1#MESSAGE#SET'])
      expect(treated(`${name}${part}`), part).toBe('replaced');
    expect(treated(`UNIQUE#${name}#slug`)).toBe('replaced');
    expect(treated(`${name}#VALUES`)).toBe('added-to');
  });

  it('forgets ids of requests and events, and adds data keys', () => {
    expect([
      treated('ONCE#EVENT#1'),
      treated('ONCE#REQUEST#1'),
      treated('ONCE#TOKEN'),
      treated('CASCADE_DELETE'),
    ]).toEqual(Array(4).fill('replaced'));
    expect(treated('DATA_KEY')).toBe('added-to');
  });

  it.each([
    ...[
      'INTEGRATION',
      'INTEGRATION#SET',
      'INTEGRATION#status=active#SET',
      'INTEGRATION#VALUES',
      'UNIQUE#INTEGRATION#x',
    ],
    ...['CREDENTIALS', 'QUOTA', 'AUDIT_EVENT', 'AUDIT_EVENT#SET', 'AUDIT_EVENT#actor_id=1#SET', 'EVENT', 'EVENT#SET'],
    ...['IDENTITY_PROVIDER', 'IDENTITY_PROVIDER#SET', 'IDENTITY', 'UNIQUE#IDENTITY#subject', 'USER_ACCESS'],
    ...['WEBHOOK_ENDPOINT', 'WEBHOOK_ENDPOINT#SET', 'WEBHOOK_ENDPOINT#1#ATTEMPT', 'DELIVERY'],
    ...['ORG', 'READS', 'REFUSALS', 'BUDGET', 'PROVIDER_KEYS', 'SOMETHING_NEW', 'CLIENTELE'],
  ])('leaves %s as it is', (name) => expect(treated(name)).toBe(false));

  it.each(['ORG#other#CLIENT', 'ORG#PLATFORM#ORG', 'APP#acme', 'SUSPENDED#acme', 'ORG#acme2#CLIENT'])(
    'never touches %s',
    (partition) => expect(treatmentOf(partition, TENANT, RESTORABLE)).toBe(false),
  );
});
