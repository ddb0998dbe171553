import { EXAMPLE_ADDRESS } from '../layout.ts';
import { loginForm } from '../login.ts';
import { SETUP } from '../samples/samples.ts';
import { contents, type Group, groups } from './contents.ts';
import { COST, COST_GUIDE } from './cost.ts';
import { openApi } from './document.ts';
import { fieldTable } from './fields.ts';
import { operationSection, samplesHtml } from './operation.ts';
import { recordSection } from './records.ts';
import { inlineText, text } from './text.ts';

/** The reference: every operation and every record of the OpenAPI document on one page. */
export const referencePage = (): string => `${contents()}
<div class="pages">
<h1>Reference</h1>
<section id="overview" class="prose">
${text(openApi.info.description)}
<h2 id="${COST}">What a request costs</h2>
${text(COST_GUIDE)}
<h2 id="samples">What samples begin with</h2>
<p>Every operation has samples in three languages. They go on from these lines and from <a href="#login">the login</a>. <code>$CLIENT_ID</code>, <code>clientId</code> and <code>client_id</code> stand for the id of a client that you have created or read; those of other records are named alike.</p>
<h3 class="unseen">Samples</h3>
${withAddress(samplesHtml(SETUP))}
</section>
${loginForm()}
${groups.map(groupSection).join('\n')}
${headersSection()}
</div>
<a class="to-contents" href="#contents">Contents</a>`;

/** A script replaces the address by that of the page's API, and its part in front of `/api/v1`. */
const withAddress = (html: string): string => {
  const base = EXAMPLE_ADDRESS.replace('/api/v1', '');
  const withBase = (text: string): string => text.replaceAll(base, `<span data-base>${base}</span>`);
  return html.split(EXAMPLE_ADDRESS).map(withBase).join(`<span data-address>${EXAMPLE_ADDRESS}</span>`);
};

const groupSection = ({
  id,
  title,
  description,
  operations,
  records,
}: Group): string => `<section class="group" id="${id}">
<h2><a href="#${id}">${title}</a></h2>
<p>${inlineText(description)}</p>
${[...operations.map(operationSection), ...records.map(recordSection)].join('\n')}
</section>`;

const headersSection = (): string => `<section class="group" id="headers">
<h2><a href="#headers">Response headers</a></h2>
${fieldTable(
  Object.entries(openApi.components.headers).map(([name, { description, schema }]) => ({
    name,
    schema,
    description,
    marks: [],
  })),
  'Header',
)}
</section>`;
