import { entity, set } from '#table';
import { logEntry } from './contract.ts';

/** Days for which a log entry is kept, to the end of the last one (`docs/specification.md`, section 2). */
const RETENTION_DAYS = 30;

export const logEntity = entity('LOG', logEntry, {
  indexes: [set('level')],
  createdAt: 'ts',
  json: ['metadata'],
  retentionDays: RETENTION_DAYS,
});
