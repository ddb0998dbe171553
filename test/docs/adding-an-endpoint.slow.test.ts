import { globSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXTENT } from '../support/extent.ts';
import { ChangedCopy } from './changed-copy.ts';

/**
 * "Add an endpoint" of the README works as it is written: its two blocks are pasted into a copy of the repository, its
 * commands run there, and the tests that derive from the contracts pass without further changes. At night the commands
 * are run as they are; by day on what is pasted, without measuring all operations again, and with the tests that a new
 * endpoint is most likely to fail.
 */

const isWhole = EXTENT === 'nightly';
const AREAS = ['architecture', 'contract', 'clients', 'docs/references', 'docs/specification'].map(
  (area) => `test/${area}`,
);
const FILES = globSync(
  [
    'test/contract/*.test.ts',
    'test/architecture/{architecture,doors}.test.ts',
    'test/clients/{api,calls,collections,mirror,named,package}.test.ts',
    'test/docs/{references,specification}.test.ts',
  ],
  { exclude: ['**/*.sampled.test.ts', '**/field-errors.test.ts'] },
);

let copy: ChangedCopy;
beforeAll(async () => {
  copy = await ChangedCopy.make();
});
afterAll(() => copy.remove());

/** Where a block is pasted. */
const PLACES = {
  'functions/terminals/contract.ts': '  routes: {\n',
  'functions/terminals/operations.ts': 'Operations<typeof terminals> = {\n',
};

/** Pastes a block of the README into the file that the text above it names, and imports the name that it says. */
async function paste(readme: string, file: string, place: string): Promise<void> {
  const told = new RegExp(`\`${file}\`(?:\\s\\(\`(\\w+)\` comes from \`(#\\w+)\`\\))?:\n\n\`\`\`ts\n(.*?)\`\`\``, 's');
  const [, name, from, block = ''] = told.exec(readme) ?? [];
  expect(block, file).toContain('deleteTerminal');
  await copy.insert(file, place, block);
  if (name !== undefined) await copy.insert(file, '', `import { ${name} } from '${from}';\n`);
}

/** The README's commands, for the files that are pasted into. */
async function shortened(): Promise<string> {
  const { scripts } = JSON.parse(await copy.read('package.json')) as { scripts: { format: string } };
  expect(scripts.format).toMatch(/ \.$/);
  const format = scripts.format.replace(/\.$/, Object.keys(PLACES).join(' '));
  return `npx ${format} && npm run docs -- --without-measuring`;
}

it('an endpoint that is added as the README says is served, documented and tested', async () => {
  const readme = await copy.read('README.md');
  for (const [file, place] of Object.entries(PLACES)) await paste(readme, file, place);
  expect(readme).toContain('`npm run format && npm run docs && npm test`');
  const made = await copy.run(isWhole ? 'npm run format && npm run docs' : await shortened());
  // Of the types, what serves and documents it; `npm test` checks those of the tools and of the stack, too.
  await copy.write(
    'types.json',
    JSON.stringify({ extends: './tsconfig.json', include: ['functions', 'packages/client/src'] }),
  );
  await copy.run('npx tsc -p types.json --singleThreaded --incremental false && rm types.json');
  expect(made).toContain('openapi.json: written');
  expect(await copy.read('openapi.json')).toContain('"operationId": "deleteTerminal"');
  // Its deletion is an event, which endpoints may subscribe to.
  await copy.write(
    'types.ts',
    "import { kinds } from './functions/events/kinds.static.ts';\nconsole.log(kinds.flatMap(({ types }) => types));\n",
  );
  expect(await copy.run(`${process.execPath} types.ts`)).toContain("'terminal.deleted'");
  await copy.run('rm types.ts');

  const passed = await copy.runTests(isWhole ? ['--project=quick', ...AREAS] : ['--project=quick', ...FILES], {
    extent: 'quick',
  });
  expect(passed).toContain('the operation deleteTerminal has every parameter of its route');
  const tried = await copy.runTests(
    ['every-operation', 'faults', 'matrix'].map((name) => `test/http/${name}`),
    { pattern: /deleteTerminal/ },
  );
  expect(tried).toEqual(
    expect.arrayContaining([
      'every operation does what its example says deleteTerminal',
      'a record named in the path deleteTerminal {id}: own, else 404',
    ]),
  );
  expect(tried.filter((name) => name.startsWith('a fault below the SDK'))).not.toEqual([]);
});
