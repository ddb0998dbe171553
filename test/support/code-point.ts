import fc from 'fast-check';

/** A code point, be it half of a surrogate pair. (For its own unit `binary`, fast-check makes a table of all of them: a second of work.) */
export const codePoint = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
