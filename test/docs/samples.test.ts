import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { curlOf } from '../../functions/docs/site/samples/curl.ts';
import { pythonOf } from '../../functions/docs/site/samples/python.ts';
import { requestOf } from '../../functions/docs/site/samples/request.ts';
import { typescriptOf } from '../../functions/docs/site/samples/typescript.ts';

/** Samples keep every character of an example; `test/clients/samples.slow.test.ts` sends them. */

const NAME = `O'Neil's "Bar" $(id) \`id\` $HOME \\ {x}\n& Co`;
const creating = (name: string) => ({ ...requestOf('createClient'), body: { name } });
const request = creating(NAME);

it('a shell takes no part of an example for a command, a variable or a quotation mark', async () => {
  const { curlOf: triedOf } = await import(new URL('../../functions/docs/browser/request.js', import.meta.url).href);
  const tried = triedOf({
    method: 'POST',
    url: `http://x/?q=${NAME}`,
    headers: {},
    body: JSON.stringify({ name: NAME }),
  });
  for (const command of [curlOf(request), tried]) {
    const sent = execFileSync('bash', ['-c', `curl() { printf %s "\${@: -1}"; }\n${command}`], { encoding: 'utf8' });
    expect(JSON.parse(sent)).toEqual({ name: NAME });
  }
});

it('neither do TypeScript and Python', () => {
  const [, argument = ''] = /create\((.*)\);$/s.exec(typescriptOf(request)) ?? [];
  expect(new Function(`return ${argument}`)()).toEqual({ name: NAME });
  expect(pythonOf(request)).toContain(`"name": ${JSON.stringify(NAME)},`);
});

it('they are one literal in each language, whatever quotation marks a text has', () => {
  const quoting = creating('The "O\'Neill" \\');
  expect(curlOf(quoting)).toContain(String.raw`"name": "The \"O'\''Neill\" \\"`);
  expect(typescriptOf(quoting)).toContain(String.raw`name: 'The "O\'Neill" \\'`);
  expect(pythonOf(quoting)).toContain(String.raw`"name": "The \"O'Neill\" \\"`);
});
