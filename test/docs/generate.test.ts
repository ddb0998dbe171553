import { describe, expect, it } from 'vitest';
import { withUnitsOf } from '../../generate/data-model/page.ts';
import { markdown } from '../../generate/markdown.ts';
import { textAt, withText } from '../../generate/places.ts';

/** `npm run docs` where nothing counts units as AWS does. */
describe('a table measured without units', () => {
  const head = ['endpoint', 'calls, by round trip', 'round trips', 'read units', 'write units'];
  const written = markdown({
    head,
    rows: [
      ['`POST /a`', 'PutItem `A`', '1', '0', '5'],
      ['`GET /old`', '', '0', '0', '0'],
    ],
  });

  it('keeps those that are written down, and says which are not known', () => {
    const measured = [
      ['`POST /a`', 'TransactWriteItems: Put `A`', '2', '0', '1'],
      ['`GET /a`', 'GetItem `A`', '1', '0.5', '0'],
    ];
    expect(withUnitsOf({ head, rows: measured }, written).rows).toEqual([
      ['`POST /a`', 'TransactWriteItems: Put `A`', '2', '0', '5'],
      ['`GET /a`', 'GetItem `A`', '1', '?', '?'],
    ]);
  });
});

describe('a place in a page', () => {
  const page = 'before\n\n<!-- here -->\n\nold $1\n\n<!-- /here -->\n\n<!-- there -->\n\n\n\n<!-- /there -->\n';

  it('is filled, and nothing else is touched', () => {
    expect(withText(page, 'here', 'new $& $1')).toBe(page.replace('old $1', () => 'new $& $1'));
    expect(textAt(withText(page, 'there', 'first'), 'there')).toBe('first');
  });

  it('has to be there', () => {
    expect(() => withText(page, 'nowhere', 'text')).toThrow('the page has no place marked nowhere');
  });
});
