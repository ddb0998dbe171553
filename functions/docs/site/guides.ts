import { repositoryFile } from './file.ts';
import { type PageName, pathTo, TITLES } from './layout.ts';
import { besideContents, html, inlineHtml } from './markdown.ts';

/** The guides, of which the repository has the Markdown, with their contents beside or above them. */

/** Where the text of each guide is. The page of guides lists them in this order. */
const SOURCES = {
  pagination: 'docs/guides/pagination.md',
  errors: 'docs/guides/errors.md',
  retries: 'docs/guides/retries.md',
  batch: 'docs/guides/batch.md',
  'rate-limits': 'docs/guides/rate-limits.md',
  'people-sign-in': 'docs/guides/people-sign-in.md',
  oauth: 'docs/guides/oauth.md',
  agents: 'docs/guides/agents.md',
  alerts: 'docs/guides/alerts.md',
  attachments: 'docs/guides/attachments.md',
  'trash-and-moves': 'docs/guides/trash-and-moves.md',
  runners: 'docs/guides/runners.md',
  events: 'docs/events.md',
  webhooks: 'docs/webhooks.md',
  changelog: 'CHANGELOG.md',
} as const satisfies Partial<Record<PageName, string>>;

export type GuideName = keyof typeof SOURCES;

export const GUIDES = Object.keys(SOURCES) as readonly GuideName[];

/** The Markdown of a guide without its heading, and its first paragraph, which says what it is about. */
export interface GuideText {
  readonly introduction: string;
  readonly rest: string;
}

/** @throws TypeError where the file has another heading than the page's title, or no introduction */
export async function guideText(name: GuideName): Promise<GuideText> {
  const [heading, introduction, ...rest] = (await repositoryFile(SOURCES[name])).split('\n\n');
  if (heading !== `# ${TITLES[name]}` || introduction === undefined || rest.length === 0)
    throw new TypeError(`${SOURCES[name]} is not "# ${TITLES[name]}", a paragraph, and the rest`);
  return { introduction, rest: await withPicture(rest.join('\n\n')) };
}

/** Markdown whose picture is part of it: the policy of the pages allows no other. */
async function withPicture(markdown: string): Promise<string> {
  const [picture, description, file] = /^!\[([^\]]*)\]\((\S+\.svg)\)$/m.exec(markdown) ?? [];
  if (picture === undefined) return markdown;
  const data = Buffer.from(await repositoryFile(`docs/${file}`)).toString('base64');
  return markdown.replace(picture, `<img alt="${description}" src="data:image/svg+xml;base64,${data}">`);
}

/** What a link of the Markdown is on the pages: another page, or undefined where there is none. */
export const guideDestination = (target: string): string | undefined => {
  const [file = '', anchor] = target.split('#');
  if (file === '') return target;
  const page = GUIDES.find((name) => SOURCES[name].split('/').at(-1) === file.split('/').at(-1)) ?? OTHERS[file];
  if (page === undefined) return undefined;
  return anchor === undefined ? page : `${page}#${anchor}`;
};

/** Files that Markdown links to, and what has their content on the pages. */
const OTHERS: Readonly<Record<string, string>> = {
  '../README.md': '../docs',
  '../../README.md': '../docs',
  '../../functions/docs/site/problem-guide.md': 'problems',
  '../../openapi.json': '../openapi',
};

/** A guide whose text is already HTML. `lead` is what stands before the contents. */
export const guideLayout = (name: GuideName, lead: string, text: string): string =>
  `${besideContents(TITLES[name], lead, text)}
${otherGuides(name)}`;

export async function guidePage(name: GuideName): Promise<string> {
  const { introduction, rest: text } = await guideText(name);
  const rest = name === 'changelog' ? forCallers(text) : text;
  return guideLayout(name, html(introduction, guideDestination), html(rest, guideDestination));
}

/** The versions of the change log without what only operators notice, and without brackets around their names. */
const forCallers = (changelog: string): string =>
  changelog
    .split('\n## ')
    .slice(1)
    .map((version) => `## ${version.split('\n### For operators')[0]}`)
    .join('\n\n')
    .replaceAll(/^## \[(.+)\]/gm, '## $1');

const otherGuides = (shown: GuideName): string => `<nav class="others" aria-label="Guides"><p>More guides</p>
<ul>
${GUIDES.filter((name) => name !== shown)
  .map((name) => `<li><a href="${name}">${TITLES[name]}</a></li>`)
  .join('\n')}
</ul></nav>`;

/** All guides, each with its first paragraph. */
export async function guidesPage(): Promise<string> {
  const entries = await Promise.all(
    GUIDES.map(async (name) => {
      const { introduction } = await guideText(name);
      const link = `<a href="${pathTo('guides', name)}">${TITLES[name]}</a>`;
      const about = inlineHtml(introduction, guideDestination);
      return `<section><h2 id="${name}">${link}</h2>\n<p>${about}</p></section>`;
    }),
  );
  return `<h1>${TITLES.guides}</h1>\n<div class="cards">${entries.join('\n')}</div>`;
}
