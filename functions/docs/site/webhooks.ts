import { readdir } from 'node:fs/promises';
import { repositoryFile } from './file.ts';
import { guideDestination, guideLayout, guideText } from './guides.ts';
import { codeHtml, html } from './markdown.ts';

/** The guide for partners, `docs/webhooks.md`, before a tool that signs and checks deliveries in the browser. */

const PROGRAMS = new URL('../../../docs/webhooks/', import.meta.url);

export async function webhooksPage(): Promise<string> {
  const { introduction, rest } = await guideText('webhooks');
  const programs = (await readdir(PROGRAMS)).toSorted();
  const text = `${html(rest, destinationsOf(programs))}
<h2 id="programs">Complete programs</h2>
${(await Promise.all(programs.map(programOf))).join('\n')}
${TOOL}`;
  return guideLayout('webhooks', html(introduction, guideDestination), text);
}

const destinationsOf =
  (programs: readonly string[]) =>
  (target: string): string | undefined => {
    const name = target.replace(/^webhooks\//, '');
    if (name === '') return '#programs';
    return programs.includes(name) ? `#${name}` : guideDestination(target);
  };

async function programOf(name: string): Promise<string> {
  const program = codeHtml(await repositoryFile(`docs/webhooks/${name}`));
  return `<details id="${name}"><summary>${name}</summary>${program}</details>`;
}

const TOOL = `<section class="tool" aria-labelledby="tool">
<h2 id="tool">Sign and check a delivery</h2>
<p>The signature is computed by your browser. Nothing is sent, and the secret is kept nowhere.</p>
<form id="delivery" autocomplete="off">
<label>App code <input name="app_code" autocomplete="off" spellcheck="false" value="acme-billing"></label>
<label>Secret <input name="secret" type="password" autocomplete="off" spellcheck="false"></label>
<label>Event id, not signed <input name="event_id" autocomplete="off" spellcheck="false" value="evt_0001"></label>
<label>Timestamp, not signed <input name="timestamp" autocomplete="off" spellcheck="false"></label>
<label class="whole">Body, the very bytes that are sent \
<textarea name="body" rows="4" spellcheck="false">{"event_type":"client.created","data":{"name":"Acme Lda"}}\
</textarea></label>
<label class="whole">Signature to check, as received or sent <input name="signature" autocomplete="off" \
spellcheck="false" placeholder="64 hex digits"></label>
</form>
<p id="verdict" class="state" role="status">Enter a secret.</p>
<div id="signed" hidden>
<h3>X-Signature</h3>
<pre><code id="signature"></code></pre>
<h3>The delivery</h3>
<pre><code id="request"></code></pre>
</div>
</section>`;
