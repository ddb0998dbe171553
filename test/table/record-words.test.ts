import { describe, expect, it } from 'vitest';
import { entity } from '#table';
import { recordWords } from '#table/storage';
import { wordsIn } from '../../shared/table/repository/list-indexes.ts';

/** The words that a record notes. That its entries are those: `words.test.ts`. */

interface Case {
  id: string;
  title: string;
  code: string;
}

const cases = entity<Case>('CASE', { words: ['title'], unique: { code: (code: string) => code } });
const notedBy = (code: string) => wordsIn(recordWords.wordsToNote(cases, { id: '1', title: 'Silent', code }));

describe('the words of a record', () => {
  it('are those of its texts, and those of a claim that do not begin it', () => {
    expect(notedBy('T-42')).toEqual(['silent']);
    expect(notedBy('WEB 17 b')).toEqual(['silent', '17', 'b']);
  });
});
