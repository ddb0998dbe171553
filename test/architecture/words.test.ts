import { expect, it } from 'vitest';
import { sources } from './sources.ts';

/** Words that the code used and that say nothing to a newcomer, and what to write in their place. */
const WORDS: Readonly<Record<string, string>> = {
  asker: 'first caller',
  payers: 'charge to',
  Teller: 'progress reporter',
  presetShapes: 'precompiled route metadata',
  upkeep: 'compaction',
  probation: 'confirmation window',
  stranger: 'unauthenticated',
  rehearsal: 'trial run',
  Portfolio: 'ApiDriver',
  survey: 'scanRecords',
  byEntry: 'residual condition',
  rehearsed: 'trial run',
  ProtectedRead: 'read of credentials',
  carrier: 'batch',
  bell: 'wake-up',
  goOnWith: 'continueAfter',
  leaveOff: 'stopEndpoint',
  takeIn: 'accept',
  sayWhoIsTold: 'warnWithoutRecipients',
  toldOfAlarms: 'alarm recipients',
  withZeros: 'fillMissing',
  'taken number': 'allocated sequence number',
  'give back': 'release',
  'is told': 'is called with',
  'what is told': 'how they are reported',
};

/** Where a word is data: the name of a stored attribute. */
const DATA: Readonly<Record<string, readonly string[]>> = { asker: ['shared/http/idempotency.ts'] };

it.each(Object.entries(WORDS))('no source says %s: it is %s', (word) => {
  const pattern = new RegExp(`(?<![a-z])${word}(?![a-z])`, 'i');
  const found = sources.filter(({ path, text }) => pattern.test(text) && !DATA[word]?.includes(path));
  expect(found.map(({ path }) => path)).toEqual([]);
});

it('comments begin with what they are about: not with "Of a text, what …"', () => {
  const found = sources
    .filter(({ path }) => !path.startsWith('functions/docs/'))
    .flatMap(({ path, text }) => Array.from(text.matchAll(/(?:\/\*\*|\/\/) Of .*/g), ([line]) => `${path}: ${line}`));
  expect(found).toEqual([]);
});
