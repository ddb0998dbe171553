// @ts-check

/** Text as one word of a shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * The command that sends a request. `$TOKEN` in a header is a variable of the shell.
 * @param {{ method: string, url: string, headers: Readonly<Record<string, string>>, body?: string | undefined }} request
 */
export function curlOf({ method, url, headers, body }) {
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) =>
      value.endsWith('$TOKEN') ? `-H "${name}: ${value}"` : `-H ${quoted(`${name}: ${value}`)}`,
    ),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body)}`]),
  ].join(' \\\n  ');
}
