import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { oauth, PROBLEMS, Problem, problemsOf, type Route } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { descriptionBesideMarks } from '../../functions/docs/openapi/operation.ts';
import { assets } from '../../functions/docs/site/assets.static.ts';
import { inlineText } from '../../functions/docs/site/markdown.ts';
import { type Operation, openApi, operations, type Schema } from '../../functions/docs/site/reference/document.ts';
import { exampleOf, jsonHtml } from '../../functions/docs/site/reference/examples.ts';
import { constraintsOf, fieldTable, rowsOf, typeOf } from '../../functions/docs/site/reference/fields.ts';
import { withLinks } from '../../functions/docs/site/reference/links.ts';
import { costOf } from '../../functions/docs/site/reference/operation.ts';
import { referencePages, wholeReference } from '../../functions/docs/site/reference/page.ts';
import { reference } from '../../functions/docs/site/reference.static.ts';
import { all } from '../../functions/docs/site/reference-all.static.ts';
import { NOT_BLANK } from '../../shared/words.ts';
import { textOf } from '../support/html.ts';

/** The reference as HTML; `test/browser/docs.slow.test.ts` opens it. */

const { schemas } = openApi.components;
const page = wholeReference().main;
const pages = referencePages();
const routes = new Map<string, Route>(contracts.flatMap((contract) => Object.entries(contract.routes)));

/** What a reader sees of HTML, where a line break is a space. */
const lineOf = (html: string): string => textOf(html).replace(/\s+/g, ' ');

/** What a description says beside the mark of an extension. */
const withoutMark = (description = ''): string =>
  description.replace(/^Extends the specification: (.)/, (_, letter: string) => letter.toUpperCase());

/** The section with this id, with the sections in it. */
function sectionOf(id: string): string {
  const begin = page.search(new RegExp(`<section class="[\\w ]+" id="${id}">`));
  expect(begin, id).toBeGreaterThan(0);
  let depth = 0;
  for (const { 0: tag, index } of page.slice(begin).matchAll(/<section[ >]|<\/section>/g)) {
    depth += tag === '</section>' ? -1 : 1;
    if (depth === 0) return page.slice(begin, begin + index);
  }
  throw new TypeError(`${id} has no end`);
}

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  let section: string;
  beforeAll(() => {
    section = sectionOf(id);
  });

  it('says what it does, who may do it, and what it costs', () => {
    const text = lineOf(section);
    expect(text).toContain(lineOf(inlineText(descriptionBesideMarks(routes.get(id) as Route))));
    for (const each of [operation.summary, operation.method, operation.path, operation.permission ?? 'none'])
      expect(text).toContain(each);
    // Both once, as marks.
    expect(text).not.toMatch(/Needs (the permission [a-z-]+:|a token, and)|Extends the specification/);
    expect(text.includes(`${operation.path} extension`)).toBe(operation.isExtension);
    expect(text).toContain(costOf(operation));
  });

  it('has every parameter: its own, and the common ones and those of small lists by their names', () => {
    const [, parameters = ''] = /<h4>Parameters<\/h4>(.*?)<h4>/s.exec(section) ?? [];
    const [, common = ''] = /Common<\/a>: (.*?)\.<\/p>/.exec(parameters) ?? [];
    const [, small = ''] = /Filters for small lists<\/a>: (.*?)\.<\/p>/.exec(parameters) ?? [];
    const ofSmallLists = operation.parameters.filter((parameter) => parameter['x-list-size'] === 'small');
    expect(small).toBe(ofSmallLists.map(({ name }) => `<code>${name}</code>`).join(', '));
    for (const { name, in: place, description } of operation.parameters) {
      if (ofSmallLists.some((each) => each.name === name)) continue;
      const isCommon = name === 'org_id' || (place === 'header' && name in openApi.components.parameters);
      const row = `<th scope="row"><code>${name}</code>`;
      const isNamed = common.split(', ').includes(`<code>${name}</code>`);
      expect([name, isNamed, parameters.includes(row)]).toEqual([name, isCommon, !isCommon]);
      expect(lineOf(isCommon ? sectionOf('common') : section)).toContain(lineOf(inlineText(withoutMark(description))));
    }
  });

  it('has the fields of its body and responses in tables, and an example of each', () => {
    const bodies = [operation.body, ...operation.responses.flatMap(({ content }) => content)];
    for (const { schema, mediaType } of bodies.filter((body) => body !== undefined)) {
      if (mediaType !== 'application/json') continue;
      const name = schema.$ref?.split('/').at(-1) ?? '';
      const fields = section.includes(`<a href="#${name}">${name}</a> describes it.`) ? sectionOf(name) : section;
      for (const row of rowsOf(schemas[name] as Schema, 'sent'))
        expect(fields).toContain(`<th scope="row"><code>${row.name}</code>`);
      // That of the body is in the samples.
      if (schema !== operation.body?.schema) expect(section).toContain(jsonHtml(exampleOf(schema)));
    }
  });

  it('names every problem it can return, with a link to its cause', () => {
    const links = Array.from(section.matchAll(/<a href="problems#([\w-]+)"><b>(\d+)<\/b>/g), ([, type, status]) => [
      type,
      Number(status),
    ]);
    const route = routes.get(id) as Route;
    const expected = problemsOf(route).map(
      (type) => [type, (route.oauth ? oauth.responseTo(new Problem(type), '') : PROBLEMS[type]).status] as const,
    );
    expect(links.toSorted()).toEqual([...expected, ['unavailable', 504]].toSorted());
    for (const { status, type, example } of operation.problems)
      expect(page).toContain(`<div data-problem="${status} ${type}"><h3>${status} ${type}</h3>${jsonHtml(example)}`);
  });

  it('shows how to send it in three languages', () => {
    expect(Array.from(section.matchAll(/data-language="(\w+)"/g), ([, language]) => language)).toEqual([
      'curl',
      'TypeScript',
      'Python',
    ]);
  });
});

it.each(Object.entries(schemas))('%s has a section, in which each field says what it is', (name, schema) => {
  const section = sectionOf(name);
  const text = lineOf(section);
  expect(text).toContain(lineOf(inlineText(schema.description ?? '')));
  for (const row of rowsOf(schema, 'sent')) {
    expect(section).toContain(`<code>${row.name}</code>`);
    expect(text).toContain(lineOf(inlineText(row.description ?? '')));
    for (const each of [typeOf(row.schema), ...constraintsOf(row.schema)]) expect(section).toContain(each);
  }
});

describe('pages', () => {
  it('of each tag have its operations and records, and lists of them; together they have what is on one page', () => {
    const ids = (html: string) => Array.from(html.matchAll(/ id="([\w.[\]-]+)"/g), ([, id = '']) => id);
    const shared = ['contents', 'log-in', 'credentials', 'state', 'pasted', 'forget', 'common-fields', 'bodies'];
    const own = pages.flatMap(({ main }) => ids(main)).filter((id) => !shared.includes(id));
    expect(own.toSorted()).toEqual(
      ids(page)
        .filter((id) => !shared.includes(id))
        .toSorted(),
    );
    for (const { id, tag, summary } of operations) {
      const main = pages.find(({ title }) => title === tag)?.main ?? '';
      expect(main).toContain(`<section class="operation" id="${id}">`);
      for (const list of [main, page]) expect(list).toContain(`<a href="#${id}"><span>${summary}</span>`);
    }
  });

  it('lead to the page that has an anchor', () => {
    const [one, other] = [
      { name: 'one', title: 'One', main: '<a id="a" href="#b">' },
      { name: 'other', title: 'Other', main: '<a id="b" href="#b">' },
    ];
    expect(withLinks([one, other]).map(({ main }) => main)).toEqual(['<a id="a" href="other#b">', other.main]);
    expect(() => withLinks([one])).toThrow('no page has #b');
  });

  it('lead to their neighbours, to the overview and to all of it', () => {
    for (const [index, { main }] of pages.entries()) {
      for (const name of ['reference', 'reference-all']) expect(main).toContain(`<a href="${name}"`);
      if (index === 0) continue;
      const [before, after] = [pages[index - 1], pages[index + 1]];
      if (index > 1) expect(main).toContain(`<a href="${before?.name}" rel="prev">${before?.title}</a>`);
      if (after !== undefined) expect(main).toContain(`<a href="${after.name}" rel="next">${after.title}</a>`);
    }
  });

  it('are the ones that are served, each with its title', () => {
    expect(Object.keys(reference)).toEqual(pages.map(({ name }) => name));
    for (const { name, title, main } of pages) {
      expect(reference[name]?.text).toContain(main);
      expect(reference[name]?.text).toContain(`<title>${title} – Custodia API</title>`);
    }
    expect(all.text).toContain(page);
  });

  /** In bytes of gzip. */
  const KB = 1_024;
  it.each([...Object.entries(reference)])('%s takes at most 20 KB', (_, { text }) => {
    expect(gzipSync(text).length).toBeLessThanOrEqual(20 * KB);
  });

  it('their styles and scripts take at most 20 KB, the index of their search 20 KB, and its library 7 KB', () => {
    const sizeOf = (wanted: RegExp) => {
      const some = assets.filter(({ name }) => wanted.test(name));
      expect(some).not.toEqual([]);
      return some.reduce((sum, { text }) => sum + gzipSync(text).length, 0);
    };
    expect(sizeOf(/^search-index\./)).toBeLessThanOrEqual(20 * KB);
    expect(sizeOf(/^minisearch\./)).toBeLessThanOrEqual(7 * KB);
    expect(sizeOf(/^(?!search-index|minisearch)/)).toBeLessThanOrEqual(20 * KB);
  });
});

describe('the words of a schema', () => {
  it.each<[Schema, string, readonly string[]]>([
    [{ type: 'string', minLength: 1, maxLength: 200 }, 'string', ['1 to 200 characters']],
    [{ type: ['string', 'null'], format: 'uuid', maxLength: 36 }, 'uuid or null', []],
    [{ type: 'string', pattern: NOT_BLANK }, 'string', ['not blank']],
    [{ type: 'string', pattern: '^[0-9a-f]*$' }, 'string', ['hexadecimal digits']],
    [{ type: 'integer', minimum: 0 }, 'integer', ['at least 0']],
    [{ type: 'number', maximum: 100, default: 0 }, 'number', ['up to 100', 'default <code>0</code>']],
    [{ type: 'string', enum: ['a', 'b'] }, 'string', ['one of <code>a</code>, <code>b</code>']],
    [{ type: 'string', const: 'ok' }, 'string', ['always <code>&quot;ok&quot;</code>']],
    [{ type: 'string', 'x-extensible-enum': ['a'] }, 'string', ['<code>a</code>; later releases may add others']],
    [{ $ref: '#/components/schemas/Ticket' }, '<a href="#Ticket">Ticket</a>', []],
    [
      { type: 'array', uniqueItems: true, maxItems: 3, items: { type: 'string', maxLength: 4 } },
      'array of string',
      ['up to 3 elements', 'each once', 'each: up to 4 characters'],
    ],
    [{ type: ['object', 'null'], additionalProperties: true }, 'JSON object or null', []],
    [
      { anyOf: [{ type: 'string', pattern: z.regexes.guid.source }, { $ref: '#/components/schemas/NamedRecord' }] },
      'uuid or <a href="#NamedRecord">NamedRecord</a>',
      [],
    ],
    [{ type: 'object', properties: {}, minProperties: 1, maxProperties: 1 }, 'object', ['1 of the fields']],
  ])('%j', (schema, type, constraints) => {
    expect([typeOf(schema), constraintsOf(schema)]).toEqual([type, constraints]);
  });

  it('leave out no keyword of the document', () => {
    const shown =
      /^(\$ref|type|format|const|enum|x-extensible-enum|pattern|(min|max)(imum|Length|Items|Properties)|anyOf|uniqueItems|default|items|properties|required|additionalProperties|readOnly|examples|description)$/;
    const keywordsOf = (schema: Schema): string[] => [
      ...Object.keys(schema),
      ...[schema.items ?? {}, ...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})].flatMap((inner) =>
        Object.keys(inner).length === 0 ? [] : keywordsOf(inner),
      ),
    ];
    expect(
      Object.values(schemas)
        .flatMap(keywordsOf)
        .filter((keyword) => !shown.test(keyword)),
    ).toEqual([]);
  });

  it('shows fields of fields below them, and what is required where it is sent', () => {
    const inner: Schema = { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] };
    const schema: Schema = { type: 'object', properties: { a: { type: 'array', items: inner }, c: inner } };
    const marked = rowsOf(schema, 'sent').map(({ name, marks }) => [name, ...marks]);
    expect(marked).toEqual([['a'], ['a[].b', 'required'], ['c'], ['c.b', 'required']]);
    expect(rowsOf(schema, 'returned').map(({ name, marks }) => [name, ...marks])).toEqual([
      ['a', 'may be absent'],
      ['a[].b'],
      ['c', 'may be absent'],
      ['c.b'],
    ]);
  });
});

it('shows HTML of a description as text', () => {
  const schema: Schema = { type: 'string', description: '<b onclick="x()">a < b</b> & `<i>`' };
  const table = fieldTable(rowsOf({ properties: { field: schema } }, 'sent'), 'Field');
  expect(table).not.toMatch(/<b|<i>/);
  expect(lineOf(table)).toContain('<b onclick="x()">a < b</b> & <i>');
  expect(jsonHtml({ '<x>': '</code>' })).not.toMatch(/<x>|<\/code>"/);
});

it('an operation costs what its budget is charged', () => {
  const of = (wanted: string): string => costOf(operations.find(({ id }) => id === wanted) as Operation);
  expect(of('login')).toMatch(/^none/);
  expect(of('getClient')).toBe('1 request');
  expect(of('listClients')).toMatch(/^1 request, more for a page/);
  expect(of('ingestLog')).toMatch(/^1 request, more for large/);
});
