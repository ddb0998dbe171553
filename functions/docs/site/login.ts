/** The login whose token operations are tried with. */
export const loginForm = (): string => `<details id="login" class="login" open>
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
<p id="state" class="state" role="status">Without a token. What you enter stays in this tab, and is gone when you leave the page.</p>
<button id="forget" type="button" hidden>Forget the token</button>
</details>`;
