import { loginForm } from './login.ts';

/** The reference: RapiDoc over the OpenAPI document of the same stage, and a form that logs it in. */
export const referencePage = (): string => `<h1 class="unseen">Reference</h1>
${loginForm()}
<noscript><p>The reference needs JavaScript. The <a href="../openapi">OpenAPI document</a> has the same in JSON.</p></noscript>
<section id="explorer" aria-label="Operations" aria-busy="true"><p class="loading">Reading the OpenAPI document …</p></section>`;
