/**
 * `Content-Disposition` of a download: a file to save under this name (RFC 6266 §4.3, RFC 8187 §3.2). Old readers get
 * a name of plain ASCII. Nothing of the name is left that could end the header or a parameter.
 */
export function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
