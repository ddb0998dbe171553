import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFile } from '../../operator/import/check-file.ts';
import { importKinds } from '../../operator/import/kinds.ts';
import { formOf } from '../../operator/import/options.ts';
import { type Row, rowsOf } from '../../operator/import/read-csv.ts';
import { recordsOf } from '../../operator/import/records.ts';
import { References } from '../../operator/import/references.ts';
import { linesOf, sentenceOf, type TextLine } from '../../operator/import/text.ts';
import { freshDirectory } from '../support/directory.ts';

/** How `custodia import` reads and checks files. */

async function fileOf(content: string | Uint8Array, name = 'file.csv'): Promise<string> {
  const file = join(await freshDirectory(), name);
  await writeFile(file, content);
  return file;
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

describe('CSV', () => {
  const rows = async (text: string | Uint8Array): Promise<Row[]> => all(rowsOf(await fileOf(text)));
  const cells = async (text: string) => (await rows(text)).map((row) => row.cells);

  it('may have any end of line, quotation marks, a byte order mark, and no last line break', async () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(await cells(['\uFEFFname,note', 'a,"b ""c"", d"', '"",é'].join(end)), JSON.stringify(end)).toEqual([
        ['name', 'note'],
        ['a', 'b "c", d'],
        ['', 'é'],
      ]);
    expect(await rows('')).toEqual([]);
  });

  it('is separated by commas, semicolons or tabs, whichever the header has most', async () => {
    expect(await cells('name;"a,b,c,d";tags\n1,5;x;y')).toEqual([
      ['name', 'a,b,c,d', 'tags'],
      ['1,5', 'x', 'y'],
    ]);
    expect(await cells('name\ttags\na\tb;c')).toEqual([
      ['name', 'tags'],
      ['a', 'b;c'],
    ]);
  });

  it.each(['\n', '\r\n', '\r'])('is separated by what its first line says: %j', async (end) => {
    for (const [declaration, header, cells] of [
      ['sep=;', 'name;a,b,c', ['name', 'a,b,c']],
      ['SEP=|', 'name|a;b,c', ['name', 'a;b,c']],
      ['\uFEFFsep=,', 'name,a;b;c', ['name', 'a;b;c']],
      ['sep=\t', 'name\t"a"', ['name', 'a']],
    ])
      expect(await rows([declaration, header].join(end))).toEqual([{ line: 2, cells }]);
    expect(await rows(['name;sep', 'sep=;', 'x;y'].join(end))).toHaveLength(3);
    expect(await rows('sep=;')).toEqual([]);
  });

  it('and NDJSON may end with U+001A, as texts of MS-DOS do', async () => {
    for (const content of ['name\na\n\u001a', 'name\na\u001a']) expect(await cells(content)).toEqual([['name'], ['a']]);
    expect(await cells('name\na\u001ab\n\u001a')).toEqual([['name'], ['a\u001ab']]);
    expect(await cells('\u001a')).toEqual([]);
    const piece = 65_536;
    const text = `name\n${'x'.repeat(piece - 6)}\u001ay\n\u001a`;
    expect(text.indexOf('\u001a')).toBe(piece - 1);
    expect(await cells(text)).toEqual([['name'], [`${'x'.repeat(piece - 6)}\u001ay`]]);
    expect(await all<TextLine>(linesOf(await fileOf('{}\r\n\u001a')))).toEqual([{ line: 1, text: '{}\r' }]);
  });

  it.each(['\n', '\r\n'])('counts lines as editors do, where cells have some and lines are blank: %j', async (end) => {
    const text = ['name,note', '"a', 'b', '",x', '', ' ', ', ', 'c,d', '"e', 'f",g'].join(end);
    expect((await rows(text)).map(({ line }) => line)).toEqual([1, 2, 8, 9]);
  });

  it.each([
    ['a,b\n1,"x\n2,y\n', 'Line 2: a quotation mark of this record is never closed.'],
    ['a,b\n1,2\n3,x"y\n', 'Line 3: a quotation mark inside a cell is written twice'],
    ['a,b\n1,"x"y\n', 'Line 2: a quotation mark inside a cell is written twice'],
    [`a,b\n1,"${'x'.repeat(5_000_000)}`, 'Line 2: the record is too long'],
    [Buffer.from('name\r\nJoao\r\nJo\xe3o\r\nx\n', 'latin1'), 'Line 3: the line is not UTF-8: save the file as UTF-8'],
    [Buffer.from('name\rJo\xe3o\r', 'latin1'), 'the line is not UTF-8'],
    [`a,b\r\n${'1,2\r\n'.repeat(50_000)}3,x"y\r\n`, 'Line 50002: a quotation mark inside a cell'],
    [`a,b\r\n${'1,"2\r\n3"\r\n'.repeat(20_000)}3,"x\r\n`, 'Line 40002: a quotation mark of this record is never'],
    [Buffer.from('\uFEFFname\nJoão\n', 'utf16le'), 'Line 1: the line is not UTF-8'],
  ])('that cannot be read is refused with its line', async (text, message) => {
    await expect(rows(text)).rejects.toThrow(message);
  });

  it('is read piece by piece, wherever these end', async () => {
    const line = `${'é'.repeat(99)},"${'x'.repeat(20)}\n"\n`;
    const read = await rows(`name,note\n${line.repeat(2_000)}`);
    expect(read).toHaveLength(2_001);
    expect(new Set(read.slice(1).map((row) => row.cells.join('|'))).size).toBe(1);
    expect(read.at(-1)?.line).toBe(2 + 2 * 1_999);
  });
});

describe('lines', () => {
  it('end with a line feed, and not inside a string of JSON', async () => {
    const lines = await all<TextLine>(linesOf(await fileOf('{"a":"\u2028"}\r\n\n {"b":1}')));
    expect(lines.map(({ line, text }) => [line, text.trim()])).toEqual([
      [1, '{"a":"\u2028"}'],
      [3, '{"b":1}'],
    ]);
  });

  it('that never end are refused, and so is what is no file', async () => {
    await expect(all(linesOf(await fileOf('x'.repeat(5_000_000))))).rejects.toThrow('Line 1: the line is too long.');
    await expect(all(linesOf('/nowhere.csv'))).rejects.toThrow('/nowhere.csv cannot be read: there is no such file.');
    await expect(all(linesOf('/'))).rejects.toThrow('it is a directory');
    // As a pipe, it would be empty when it is read again.
    await expect(all(linesOf('/dev/null'))).rejects.toThrow('it is no file, which can be read more than once');
  });
});

const NO_MAPPING = new Map<string, string>();

/** The fields of the records of a file. */
async function fieldsIn(text: string, type: string, map: ReadonlyMap<string, string> = NO_MAPPING) {
  const file = await fileOf(text);
  return (await all(recordsOf(file, formOf(file, { type, map })))).map(({ fields }) => fields);
}

/** What is wrong with a file. */
async function findingsIn(text: string, type?: string, map: ReadonlyMap<string, string> = NO_MAPPING, format = 'csv') {
  const file = await fileOf(text, `file.${format}`);
  const form = formOf(file, { ...(type !== undefined && { type }), map });
  return (await checkFile(file, form, new References(importKinds))).findings.map(sentenceOf);
}

describe('a column', () => {
  it('has values of the type of its field in the contract', async () => {
    const text = [
      'client_id,name,type,tags,alert_threshold,usage_alerts_enabled,metadata,description,status,location',
      'C,n,vm,"a; b;;c",80.5,TRUE,"{""rack"": 1.10}",,,',
      'C,n,vm,"[""x;y""]",1e1,false,,text,active,007',
    ].join('\n');
    const [first, second] = await fieldsIn(text, 'resource');
    const common = { client_id: 'C', name: 'n', type: 'vm' };
    // An empty cell is null where that can be, else left out: then the service chooses.
    expect({ ...first, metadata: undefined }).toEqual({
      ...{ ...common, tags: ['a', 'b', 'c'], alert_threshold: 80.5, usage_alerts_enabled: true },
      ...{ metadata: undefined, description: null, location: null },
    });
    // As it was written.
    expect(JSON.stringify(first?.metadata)).toBe('{"rack":1.10}');
    expect(second).toEqual({
      ...{ ...common, tags: ['x;y'], alert_threshold: 10, usage_alerts_enabled: false, metadata: null },
      ...{ description: 'text', status: 'active', location: '007' },
    });
  });

  it('is empty where it shows nothing, and has values without what shows nothing around them', async () => {
    const text = [
      '\u200bclient_id,name,type,tags,alert_threshold,usage_alerts_enabled,metadata,location\u00a0',
      '\u200b,\u202e\u2800,\u00ad,,,,,\u3164',
      'C,n,vm,a\u200b;\u2060;b,\u202a80.5\u202c,\u200bTRUE,{}\u2060,\u200b x',
    ].join('\n');
    expect(await fieldsIn(text, 'resource')).toEqual([
      {
        ...{ client_id: 'C', name: 'n', type: 'vm', tags: ['a', 'b'], alert_threshold: 80.5 },
        ...{ usage_alerts_enabled: true, metadata: {}, location: '\u200b x' },
      },
    ]);
  });

  it('may have another name, and be left out', async () => {
    const map = new Map([
      ['Nome', 'name'],
      ['Notas', ''],
    ]);
    expect(await fieldsIn('Nome,Notas,slug\nA,x,a\n', 'client', map)).toEqual([{ name: 'A', slug: 'a' }]);
  });

  it('of the parent of a record is a field, too', async () => {
    expect(importKinds.map(({ name }) => name)).toContain('ticket-message');
    expect(await findingsIn('author_type,author_id,message\nagent,x,y\n', 'ticket-message')).toEqual([
      'Line 1, #/ticket_id: is required, and has no column',
    ]);
    expect(await findingsIn('ticket_id,author_type,author_id,message\nT,agent,x,y\n', 'ticket-message')).toEqual([
      'Line 2, column 1 (ticket_id), #/ticket_id: must be a UUID',
      'Line 2, column 3 (author_id), #/author_id: must be a UUID',
    ]);
  });
});

describe('a file with mistakes', () => {
  it.each<[string, string[]]>([
    [
      'Name,stattus\n',
      [NO_FIELD, 'Line 1, column 2 (stattus): stattus is no field of Client; perhaps status is meant', NO_NAME],
    ],
    ['name,id\n', ['Line 1, column 2 (id): id is set by the service: leave the column out (--map)']],
    ['name,slug,name\n', ['Line 1, column 1 (name): name has another column, too']],
    ['slug\na\n', [NO_NAME]],
    [' \n,\n', ['Line 1: the file has no line with the names of its columns']],
  ])('is told what is wrong with its header, and no more: %j', async (text, findings) => {
    expect(await findingsIn(text, 'client')).toEqual(findings);
  });

  it('is told every finding with its line, its column and a pointer', async () => {
    const text = ['name,slug,phone,metadata', 'A,ok,1,', ',UPPER,007,x', 'B,b,1,,,y', 'C,c,1.5,[1]'].join('\n');
    expect(await findingsIn(text, 'client')).toEqual([
      'Line 3, column 1 (name), #/name: is required',
      expect.stringMatching(/^Line 3, column 2 \(slug\), #\/slug: must be lowercase letters/),
      'Line 3, column 3 (phone), #/phone: must be a whole number from 0 to 999999999999999',
      'Line 3, column 4 (metadata), #/metadata: must be a JSON object',
      'Line 4, column 6: stands in a column without a name',
      'Line 5, column 3 (phone), #/phone: must be a whole number from 0 to 999999999999999',
      'Line 5, column 4 (metadata), #/metadata: must be a JSON object',
    ]);
  });

  it('is told which whole numbers have lost digits, and what else is wrong with their lines', async () => {
    const text = ['slug;phone;name', 'a;1.23E+11;A', 'B;1,23e+11;B', 'c;9E2;', 'd;1.0;D', 'e;123456789012;E'].join(
      '\n',
    );
    const detail = 'is in scientific notation, which leaves out digits';
    expect(await findingsIn(text, 'client')).toEqual([
      expect.stringContaining(`Line 2, column 2 (phone), #/phone: ${detail}`),
      expect.stringMatching(/^Line 3, column 1 \(slug\), #\/slug: must be lowercase/),
      expect.stringContaining(`Line 3, column 2 (phone), #/phone: ${detail}`),
      expect.stringContaining(`Line 4, column 2 (phone), #/phone: ${detail}`),
      'Line 4, column 3 (name), #/name: is required',
    ]);
  });

  it('is told which values of lines can be there only once, but not of lines that are refused anyway', async () => {
    const text = ['email,name', 'A@b.example,A', 'c@b.example,', 'a@b.example,B', 'c@b.example,D'].join('\n');
    expect(await findingsIn(text, 'user')).toEqual([
      'Line 4, column 1 (email), #/email: is that of line 2, too',
      'Line 5, column 1 (email), #/email: is that of line 3, too',
    ]);
    const international = ['email', 'a@bücher.example', 'A@xn--bcher-kva.example', 'inês@acme.example'].join('\n');
    expect(await findingsIn(international, 'user')).toEqual([
      'Line 3, column 1 (email), #/email: is that of line 2, too',
    ]);
    const first = `{"name":"${'x'.repeat(500)}","slug":"a"}`;
    expect(await findingsIn(`${first}\n{"name":"A","slug":"a"}\n`, 'client', NO_MAPPING, 'ndjson')).toEqual([
      expect.stringMatching(/^Line 1, #\/name: /),
    ]);
  });

  it('of NDJSON is told where a line is no JSON, no object, or sets what it cannot', async () => {
    const lines = ['{"name":"A"}', '{"name":}', '[1]', '{"name":"B","created_at":null,"x":1}', '12345678901234567890'];
    expect(await findingsIn(lines.join('\n'), 'client', NO_MAPPING, 'ndjson')).toEqual([
      'Line 2, column 9: is not JSON: `}` in place of a value',
      'Line 3: must be a JSON object',
      'Line 4, #/created_at: is set by the service: leave it out',
      'Line 4, #/x: is not known here',
      'Line 5: must be a JSON object',
    ]);
  });

  it('is told so in short, and without a crash, however hostile it is', async () => {
    const long = 'x'.repeat(1_000_000);
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const { stringify } = JSON;
    const lines = [
      stringify({ name: 'A', [long]: 1 }),
      stringify({ name: long, slug: long, status: long }),
      `{"name":"A","metadata":{"a":${nested}}}`,
      '{"name":"A","__proto__":{"x":1},"constructor":1,"toString":2}',
      nested,
    ];
    const findings = await findingsIn(lines.join('\n'), 'client', NO_MAPPING, 'ndjson');
    for (const finding of findings) expect(finding.length).toBeLessThan(500);
    expect(findings.map((finding) => finding.replaceAll(/x{9,}…?/g, 'x'))).toEqual([
      'Line 1, #/x: is not known here',
      expect.stringMatching(/^Line 2, #\/\w+: must be at most \d+ characters long$/),
      expect.stringMatching(/^Line 2, #\/\w+: must be at most \d+ characters long$/),
      expect.stringMatching(/^Line 2, #\/\w+: must be at most \d+ characters long$/),
      'Line 3, #/metadata: is nested more than 255 levels deep',
      'Line 4, #/__proto__: is not known here',
      'Line 4, #/constructor: is not known here',
      'Line 4, #/toString: is not known here',
      'Line 5: must be a JSON object',
    ]);
    expect(await findingsIn(`name,constructor,__proto__,${long}\n`, 'client')).toEqual([
      'Line 1, column 2 (constructor): constructor is no field of Client',
      'Line 1, column 3 (__proto__): __proto__ is no field of Client',
      expect.stringMatching(/^Line 1, column 4 \(x{200}…\): x{200}…$/),
    ]);
    expect(await findingsIn('name,metadata,phone\nA,constructor,constructor\n', 'client')).toHaveLength(2);
  });

  it('of export is told which lines are none of export', async () => {
    const lines = ['{"type":"Client","record":{"id":"a","name":"A"}}', '{"name":"A"}', '{"type":"Foo","record":{}}'];
    const detail = 'must be a line of custodia export, {"type":"Client","record":{…}}; name other records with --type';
    expect(await findingsIn(lines.join('\n'), undefined, NO_MAPPING, 'ndjson')).toEqual([
      `Line 2: ${detail}`,
      `Line 3: ${detail}`,
    ]);
  });
});

const NO_FIELD = 'Line 1, column 1 (Name): Name is no field of Client; perhaps name is meant';
const NO_NAME = 'Line 1, #/name: is required, and has no column';

describe('the form of a file', () => {
  it('follows from its name, or is said', () => {
    const map = NO_MAPPING;
    expect(formOf('a.TSV', { type: 'client', map }).format).toBe('csv');
    expect(formOf('a.b.jsonl', { map })).toEqual({ kind: undefined, format: 'ndjson' });
    expect(formOf('a.txt', { format: 'ndjson', type: 'client', map }).kind?.record).toBe('Client');
  });

  it('is refused where it is not known, or contradicts itself', () => {
    const map = NO_MAPPING;
    expect(() => formOf('a.txt', { map })).toThrow('Say with --format whether a.txt is csv or ndjson.');
    expect(() => formOf('a.csv', { map })).toThrow('CSV needs --type');
    expect(() => formOf('a.ndjson', { map: new Map([['a', 'b']]) })).toThrow('--map is for the columns of CSV.');
  });
});
