/** Draws plots as SVG files on white, so that they are legible on pages of any colour. */

export const MUTED = 'fill="#64748b"';

export const svgText = (x: number, y: number, words: string, attributes = ''): string =>
  `<text x="${x}" y="${y}" ${attributes}>${words}</text>`;

/** A whole picture. `title` is for screen readers. */
export const picture = (
  size: { readonly width: number; readonly height: number },
  title: string,
  parts: readonly string[],
): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="system-ui, sans-serif" font-size="13" fill="#1e293b">`,
    `<title>${title}</title>`,
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');

/** The heading of a picture, with a line below it that says what is drawn. */
export const heading = (x: number, title: string, subtitle: string): string[] => [
  svgText(x, 28, title, 'font-size="17" font-weight="600"'),
  svgText(x, 48, subtitle, MUTED),
];
