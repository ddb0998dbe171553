/** Where an operation can be tried: `browser/try-it.js` fills it. Without a script it is not shown. */
export const tryItOf = ({ operationId }: { readonly operationId: string }): string =>
  `<details class="try-it" data-operation="${operationId}" hidden><summary>Try it</summary></details>`;
