import { repositoryFile } from './file.ts';
import { EXAMPLE_ADDRESS, pathTo, START, TITLES } from './layout.ts';
import { besideContents, codeHtml, escapedHtml, html } from './markdown.ts';

/** The tour of the README, whose commands and responses are tested (`test/docs/readme.test.ts`), as the first page. */

const INTRODUCTION =
  'A tour of this API in five minutes. Paste the blocks into bash, one after the other: they use curl, sed and ' +
  'openssl. Responses are laid out for reading, with `…` where text is left out.';

const WITH_A_SECRET =
  '**You have an app code and a secret?** Where nobody may register without a token, the operator of this API gives ' +
  'you both. Begin with this block, and go on with *Log in*.';

const destinations: Readonly<Record<string, string>> = {
  'docs/webhooks.md': pathTo(START, 'webhooks'),
  'openapi.json': 'openapi',
};

/** @throws TypeError where the README has no tour, or begins it otherwise than this page expects */
export async function quickstartPage(): Promise<string> {
  const tour = tourOf(await repositoryFile('README.md'));
  const steps = html(withHeadings(tour), (target) => destinations[target]);
  const secret = `<aside class="aside">
${html(WITH_A_SECRET)}
<details><summary>Begin with a secret</summary>${codeHtml(withOwnSecret(tour))}</details>
</aside>`;
  return withAddress(besideContents(TITLES[START], html(INTRODUCTION), `${secret}\n${steps}`));
}

function tourOf(readme: string): string {
  const [, tour] = /\n## A tour[^\n]*\n(.*?)\n## /s.exec(readme) ?? [];
  const begin = tour?.indexOf('**Register.**') ?? -1;
  if (tour === undefined || begin < 0) throw new TypeError('README.md has no tour that begins with **Register.**');
  return tour.slice(begin);
}

/**
 * `**Log in.** The app …` and `**List.** …` become headings, `**Create** a client …` one with its whole sentence
 * below it.
 */
const withHeadings = (tour: string): string =>
  tour.replace(/^\*\*([^*]+?)(\.?)\*\*(,?) /gm, (_, title: string, stop: string, comma: string) =>
    stop === '' ? `## ${title}\n\n${title}${comma} ` : `## ${title}\n\n`,
  );

/** The first block for somebody who need not register: with the response that registering would have given. */
function withOwnSecret(tour: string): string {
  const [, block] = /```sh\n(.*?)```/s.exec(tour) ?? [];
  const lines = (block ?? '')
    .replace(/^APP=.*$/m, "APP='your app code'")
    .replace(/^KEY=.*$/m, `KEY='{"secret":"your secret"}'`)
    .replace(/^echo.*\n/m, '');
  if (!(lines.includes("APP='your") && lines.includes("KEY='{"))) throw new TypeError('the tour sets no APP or KEY');
  return lines.trimEnd();
}

const withAddress = (page: string): string =>
  page.replaceAll(escapedHtml(EXAMPLE_ADDRESS), `<span data-address>${escapedHtml(EXAMPLE_ADDRESS)}</span>`);
