import { PAGE_SIZE, type Way } from './lists.ts';
import type { PageReading } from './measure.ts';

/** Draws read units against page number, both logarithmic, as an SVG of its own. */

const SIZE = { width: 900, height: 470 };
const FRAME = { left: 78, right: 610, top: 64, bottom: 404 };
const LABEL_HEIGHT = 36;

interface Series {
  readonly way: Way;
  readonly note: string;
  readonly colour: string;
}

/** The lines from the top down. */
const SERIES: readonly Series[] = [
  { way: 'COUNT, and the total', note: 'exact total', colour: '#7c3aed' },
  { way: 'walk', note: 'no total', colour: '#94a3b8' },
  { way: 'counted list', note: 'exact total', colour: '#0f766e' },
];

interface Line extends Series {
  readonly points: readonly { readonly page: number; readonly units: number }[];
}

const MUTED = 'fill="#64748b"';

const svgText = (x: number, y: number, words: string, attributes = ''): string =>
  `<text x="${x}" y="${y}" ${attributes}>${words}</text>`;

export function plotOf(readings: readonly PageReading[]): string {
  const lines = SERIES.map((series): Line => {
    const own = readings.filter(({ of }) => of.way === series.way);
    return { ...series, points: own.map(({ page, readUnits }) => ({ page, units: readUnits })) };
  });
  const points = lines.flatMap((line) => line.points);
  const x = scale(1, Math.max(...points.map(({ page }) => page)), FRAME.left, FRAME.right);
  const y = scale(1, Math.max(...points.map(({ units }) => units), 10) * 1.4, FRAME.bottom, FRAME.top);
  const labels = apart(lines.map(({ points: own }) => y.at(own.at(-1)?.units ?? 1)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" ${FONT}>`,
    // For screen readers.
    '<title>Read units a page costs, by page number</title>',
    `<rect width="${SIZE.width}" height="${SIZE.height}" fill="#ffffff"/>`,
    svgText(FRAME.left, 28, 'What page N of a list costs', 'font-size="17" font-weight="600"'),
    svgText(FRAME.left, 48, subtitle(readings), MUTED),
    ...y.ticks.flatMap((units) => [
      `<path d="M${FRAME.left} ${y.at(units)}H${FRAME.right}" stroke="#e2e8f0"/>`,
      svgText(FRAME.left - 10, y.at(units) + 4, units.toLocaleString('en'), `text-anchor="end" ${MUTED}`),
    ]),
    ...x.ticks.flatMap((page) => [
      `<path d="M${x.at(page)} ${FRAME.bottom}v5" stroke="#94a3b8"/>`,
      svgText(x.at(page), FRAME.bottom + 21, page.toLocaleString('en'), `text-anchor="middle" ${MUTED}`),
    ]),
    `<path d="M${FRAME.left} ${FRAME.bottom}H${FRAME.right}" stroke="#94a3b8"/>`,
    svgText((FRAME.left + FRAME.right) / 2, FRAME.bottom + 46, 'page', `text-anchor="middle" ${MUTED}`),
    svgText(0, 0, 'read units', `transform="translate(20 ${MIDDLE}) rotate(-90)" text-anchor="middle" ${MUTED}`),
    ...lines.flatMap((line, index) => drawn(line, labels[index] ?? 0, x.at, y.at)),
    '</svg>\n',
  ].join('\n');
}

const FONT = 'font-family="system-ui, sans-serif" font-size="13" fill="#1e293b"';
const MIDDLE = (FRAME.top + FRAME.bottom) / 2;

const subtitle = (readings: readonly PageReading[]): string => {
  const last = Math.max(...readings.map(({ page }) => page));
  return `${(last * PAGE_SIZE).toLocaleString('en')} records of 0.5 KB, pages of ${PAGE_SIZE}, newest first; both axes logarithmic`;
};

function drawn(
  { points, note, colour, way }: Line,
  labelY: number,
  x: (page: number) => number,
  y: (units: number) => number,
): string[] {
  const path = points.map(({ page, units }, index) => `${index === 0 ? 'M' : 'L'}${x(page)} ${y(units)}`).join('');
  const [width, radius] = way === 'counted list' ? [3.5, 4.5] : [2.5, 3.5];
  const end = points.at(-1)?.units ?? 1;
  const cost = `${Math.round(end).toLocaleString('en')} read units at the last page; ${note}`;
  return [
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}"/>`,
    ...points.map(({ page, units }) => `<circle cx="${x(page)}" cy="${y(units)}" r="${radius}" fill="${colour}"/>`),
    `<path d="M${FRAME.right + 7} ${y(end)}L${FRAME.right + 20} ${labelY - 4}" stroke="#cbd5e1"/>`,
    svgText(FRAME.right + 26, labelY, way, `fill="${colour}" font-weight="600"`),
    svgText(FRAME.right + 26, labelY + 15, cost, `font-size="11" ${MUTED}`),
  ];
}

/** A logarithmic axis; its ticks are the powers of ten and the end of the pages. */
function scale(from: number, to: number, start: number, end: number) {
  const at = (value: number): number =>
    Math.round(start + ((Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from))) * (end - start));
  const powers = Array.from({ length: Math.floor(Math.log10(to) + 1e-9) + 1 }, (_, power) => 10 ** power);
  return { at, ticks: start < end && to / (powers.at(-1) ?? 1) > 1.5 ? [...powers, to] : powers };
}

/** Where labels go so that none covers another: at their lines' ends, or below the label before. */
function apart(positions: readonly number[]): number[] {
  let lowest = 0;
  return positions.map((position) => {
    const place = Math.max(position + 4, lowest);
    lowest = place + LABEL_HEIGHT;
    return place;
  });
}
