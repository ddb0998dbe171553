import { describe, expect, it } from 'vitest';
import { textAt, withText } from '../../generate/places.ts';

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
