import { expect, it } from 'vitest';
import { curlOf } from '../../functions/docs/site/samples/curl.ts';
import { pythonOf } from '../../functions/docs/site/samples/python.ts';
import { requestOf } from '../../functions/docs/site/samples/samples.ts';
import { typescriptOf } from '../../functions/docs/site/samples/typescript.ts';

/** Samples of requests; `samples.slow.test.ts` runs those of all operations. */

it('are one literal in each language, whatever quotation marks a text has', () => {
  const request = { ...requestOf('createClient'), body: { name: 'The "O\'Neill" \\' } };
  expect(curlOf(request)).toContain(String.raw`"name": "The \"O'\''Neill\" \\"`);
  expect(typescriptOf(request)).toContain(String.raw`name: 'The "O\'Neill" \\'`);
  expect(pythonOf(request)).toContain(String.raw`"name": "The \"O'Neill\" \\"`);
});
