/** Texts that people, scripts and attackers send where a text is expected. */

const words = (text: string): string[] => text.split(' | ');

/** A word of each script that has readers, with its own digits and marks. */
export const SCRIPTS: readonly string[] = [
  ...words(
    'Ångström | İstanbul | straße | Tiếng Việt | Ωμέγας | ᾳῃ | Ёлка | Ґанок | Հայերեն | ქართული | ᏣᎳᎩ | ᐃᓄᒃᑎᑐᑦ | አማርኛ',
  ),
  ...words('שָׁלוֹם | مَرْحَبًا | فارسی | ۱۲۳ | हिन्दी | বাংলা | ਪੰਜਾਬੀ | ગુજરાતી | தமிழ் | తెలుగు | ಕನ್ನಡ | മലയാളം | සිංහල | བོད་ཡིག'),
  ...words(
    'ไม่มีสัญญาณ | ພາສາລາວ | ភាសាខ្មែរ | မြန်မာဘာသာ | ᠮᠣᠩᠭᠣᠯ | ꦗꦮ | 株式会社 | 东京塔 | コンピューター | ｺﾝﾋﾟｭｰﾀ | ひらがな',
  ),
  ...words('한국어 | 한국 | ㄅㄆㄇ | 𐌰𐌱𐌲 | 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 | 𠮷野家 | ﷺ | ﬃ | ①② | ½ | Ⅻ | 👩‍👩‍👧‍👦 | 🇵🇹 | ⠃⠗'),
];

/** Texts that are no words. */
export const ODD: readonly string[] = [
  ...['', ' ', '\t', '\n', '\u0000', '\u0001', '\u001f', '\u007f', '\u0085', '\u00a0', '\u00ad', '\u034f'],
  ...['\u061c', '\u180e', '\u200b', '\u200d', '\u200e', '\u202e', '\u2028', '\u2060', '\u3000', '\ufeff'],
  ...['\ufffd', '\uffff', '\u{10ffff}', '\u{e0001}', '\u0301', `a${'\u0301'.repeat(90)}`, '\u0e33', '\u0f71\u0f72'],
  ...[',', ',,', ',a', 'a,', 'a,,b', '\n0', 'a\n000000000000', 'a\u0000b'],
  ...words('- | -- | . | " | \' | \\ | % | _ | * | ? | # | & | = | + | / | <script> | {{1}} | $where | ../..'),
  ...words("' OR 1=1 -- | __proto__ | constructor | toString | null | undefined | NaN | -1 | 1e9 | true | [] | {}"),
];

/** Texts of a size that somebody did not expect. */
export const LONG: readonly string[] = [
  ...['a', 'ﷺ', 'ﬃ', '株', 'ก', '😀', '-', ' ', '\u0301', 'ß'].map((character) => character.repeat(100)),
  ...['a'.repeat(101), 'a '.repeat(50), '. '.repeat(50), 'a.'.repeat(50), 'x'.repeat(7_500), ','.repeat(7_000)],
  ...['a,b,c,d,e,f,g,h,i,j', 'a,b,c,d,e,f,g,h,i,j,k', 'a,a,a,a,a,a,a,a,a', 'a,'.repeat(3_000)],
];
