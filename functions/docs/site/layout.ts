import { type Asset, etagOf, type SitePage, sourceHash } from './file.ts';
import { escapedHtml } from './markdown.ts';

/** The common parts of all pages: the head, the navigation, and the content security policy. */

/** The page at `/api/v1/docs`; the others are below it. */
export const START = 'quickstart';

/** The title of each page, which is also its heading. */
export const TITLES = {
  [START]: 'Quickstart',
  guides: 'Guides',
  pagination: 'Pagination and filters',
  errors: 'Errors',
  retries: 'Retries and idempotency',
  batch: 'Batches',
  'rate-limits': 'Rate limits',
  'people-sign-in': 'People sign in',
  oauth: 'OAuth',
  agents: 'Agents',
  alerts: 'Alerts',
  attachments: 'Attachments',
  'trash-and-moves': 'Trash, moves and merges',
  runners: 'Runners',
  events: 'Events',
  webhooks: 'Incoming webhooks',
  changelog: 'Changelog',
  reference: 'Reference',
  problems: 'Problems',
} as const;

export type PageName = keyof typeof TITLES;

/** The pages of the navigation; the others are guides. */
const NAVIGATION = [START, 'guides', 'reference', 'problems'] as const satisfies readonly PageName[];

interface Content {
  readonly name: PageName;
  /** Default: that of the name. */
  readonly title?: string;
  readonly main: string;
  readonly styles: readonly Asset[];
  /** Modules that it runs. */
  readonly scripts: readonly Asset[];
}

/**
 * Links are relative, because the pages do not know the path before `/api/v1`. The first page is a level above the
 * others. A slash at the end, which the gateway ignores, would break them.
 */
const WITHOUT_SLASH =
  "if(location.pathname.endsWith('/'))" +
  "location.replace(location.origin+location.pathname.replace(/\\/+$/,'')+location.hash)";

/** The mark: a shield that is held open by a C. */
const SHIELD = 'M12 1.2 21 4.6v6.6c0 5.4-3.7 9.6-9 11.6-5.3-2-9-6.2-9-11.6V4.6z';
const LETTER = 'M15.6 8.6a4.7 4.7 0 1 0 0 6.4';

const MARK =
  `<svg viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d="${SHIELD}"/>` +
  `<path class="letter" fill="none" stroke-width="2.3" stroke-linecap="round" d="${LETTER}"/></svg>`;

/** Browsers always request an icon: this one needs no request. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0b6e69" d="${SHIELD}"/>` +
    `<path fill="none" stroke="#fff" stroke-width="2.3" stroke-linecap="round" d="${LETTER}"/></svg>`,
)}`;

/** From this page to another, or to a file. */
export const pathTo = (from: PageName, to: string): string => {
  if (from === START) return to === START ? 'docs' : `docs/${to}`;
  return to === START ? '../docs' : to;
};

const POLICY = [
  "default-src 'none'",
  `script-src 'self' ${sourceHash(WITHOUT_SLASH)}`,
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function htmlPageOf(content: Content): SitePage {
  const text = htmlOf(content);
  return { text, etag: etagOf(text), policy: POLICY };
}

const htmlOf = ({ name, title = TITLES[name], main, styles, scripts }: Content): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapedHtml(title)} – Custodia API</title>
<script>${WITHOUT_SLASH}</script>
<link rel="icon" href="${ICON}">
${styles.map((style) => `<link rel="stylesheet" href="${pathTo(name, style.name)}">`).join('\n')}
${scripts.map((script) => `<script type="module" src="${pathTo(name, script.name)}"></script>`).join('\n')}
</head>
<body class="${name}" data-api="${name === START ? '.' : '..'}">
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="brand"><a class="home" href="${pathTo(name, START)}">${MARK}<span>Custodia API</span></a></p>
<nav aria-label="Documentation">
<ul>
${NAVIGATION.map((page) => linkTo(page, name)).join('\n')}
<li><a href="${name === START ? 'openapi' : '../openapi'}">OpenAPI</a></li>
</ul>
</nav>
<button id="search" type="button">Search <kbd>/</kbd></button>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
<p>The address of this API is <code data-address>${escapedHtml(EXAMPLE_ADDRESS)}</code>.</p>
</footer>
</body>
</html>
`;

const linkTo = (page: PageName, from: PageName): string =>
  `<li><a href="${pathTo(from, page)}"${currentOf(page, from)}>${TITLES[page]}</a></li>`;

/** Marks the link to the page that is shown, and the one to all guides where a guide is. */
function currentOf(link: PageName, shown: PageName): string {
  if (link === shown) return ' aria-current="page"';
  return link === 'guides' && !NAVIGATION.some((page) => page === shown) ? ' aria-current="true"' : '';
}

/** The address on pages without scripts; the scripts replace it by the page's own address. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000/api/v1';
