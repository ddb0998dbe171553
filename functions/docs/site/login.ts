/** The login whose token operations are tried with (`browser/login.js`). */
export const loginForm = (): string => `<details id="log-in" class="login" open>
<summary><h2>Log in to try it</h2></summary>
<form id="credentials" autocomplete="off">
<label>App code <input name="app_code" autocomplete="off" spellcheck="false" required></label>
<label>Secret <input name="secret" type="password" autocomplete="off" required></label>
<button>Log in</button>
</form>
<form id="pasted" autocomplete="off">
<label>or a token <input name="token" type="password" autocomplete="off" spellcheck="false" required></label>
<button>Use token</button>
</form>
<p><span id="state" class="state" role="status">Without a token.</span> <button id="forget" type="button" hidden>Forget the token</button></p>
<p class="note">The secret is sent to this API only, and kept nowhere. The token stays in this tab until it expires, you forget it, or the tab is closed.</p>
</details>`;
