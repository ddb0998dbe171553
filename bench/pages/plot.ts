import type { Reading } from './reads.ts';

/** Draws read units against page number, both logarithmic, as an SVG of its own. */

const SIZE = { width: 860, height: 470 };
const FRAME = { left: 78, right: 610, top: 64, bottom: 404 };
const LABEL_HEIGHT = 32;

interface Series {
  readonly label: string;
  readonly note: string;
  readonly colour: string;
  readonly list: string;
  readonly way: string;
}

/** The two libraries send the same queries, so they are one line. */
const SERIES: readonly Series[] = [
  {
    label: 'ElectroDB, dynamodb-toolbox',
    note: 'cursor after cursor; no total',
    colour: '#b45309',
    list: 'no deletes',
    way: 'ElectroDB',
  },
  {
    label: 'walk',
    note: 'the longest queries there are; no total',
    colour: '#64748b',
    list: 'no deletes',
    way: 'walk',
  },
  {
    label: 'COUNT, and the total',
    note: 'the whole list at every page',
    colour: '#7c3aed',
    list: 'no deletes',
    way: 'COUNT, and the total',
  },
  {
    label: 'counted list, a third deleted',
    note: 'with the exact total',
    colour: '#0d9488',
    list: 'a third deleted',
    way: 'counted list',
  },
  { label: 'counted list', note: 'with the exact total', colour: '#0f766e', list: 'no deletes', way: 'counted list' },
];

interface Line extends Series {
  readonly points: readonly { readonly page: number; readonly units: number }[];
}

export function plotOf(readings: readonly Reading[]): string {
  const lines = SERIES.map((series): Line => {
    const own = readings.filter(({ list, way }) => list === series.list && way === series.way);
    return { ...series, points: own.map(({ page, cost }) => ({ page, units: cost.readUnits })) };
  });
  const points = lines.flatMap((line) => line.points);
  const x = scale(1, Math.max(...points.map(({ page }) => page)), FRAME.left, FRAME.right);
  const y = scale(1, Math.max(...points.map(({ units }) => units), 10) * 1.4, FRAME.bottom, FRAME.top);
  const labels = apart(lines.map(({ points: own }) => y.at(own.at(-1)?.units ?? 1)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" font-family="system-ui, sans-serif" font-size="13" fill="#1e293b">`,
    `<title>Read units a page costs, by page number</title>`,
    `<rect width="${SIZE.width}" height="${SIZE.height}" fill="#ffffff"/>`,
    text(FRAME.left, 28, 'What page N of a list costs', 'font-size="17" font-weight="600"'),
    text(FRAME.left, 48, subtitle(readings), MUTED),
    ...y.ticks.flatMap((units) => [
      `<path d="M${FRAME.left} ${y.at(units)}H${FRAME.right}" stroke="#e2e8f0"/>`,
      text(FRAME.left - 10, y.at(units) + 4, units.toLocaleString('en'), `text-anchor="end" ${MUTED}`),
    ]),
    ...x.ticks.flatMap((page) => [
      `<path d="M${x.at(page)} ${FRAME.bottom}v5" stroke="#94a3b8"/>`,
      text(x.at(page), FRAME.bottom + 21, page.toLocaleString('en'), `text-anchor="middle" ${MUTED}`),
    ]),
    `<path d="M${FRAME.left} ${FRAME.bottom}H${FRAME.right}" stroke="#94a3b8"/>`,
    text((FRAME.left + FRAME.right) / 2, FRAME.bottom + 46, 'page', `text-anchor="middle" ${MUTED}`),
    `<text transform="translate(20 ${(FRAME.top + FRAME.bottom) / 2}) rotate(-90)" text-anchor="middle" ${MUTED}>read units</text>`,
    ...lines.flatMap((line, index) => drawn(line, labels[index] ?? 0, x.at, y.at)),
    '</svg>\n',
  ].join('\n');
}

const MUTED = 'fill="#64748b"';

const subtitle = (readings: readonly Reading[]): string => {
  const last = Math.max(...readings.map(({ page }) => page));
  return `${(last * 25).toLocaleString('en')} records of 0.5 KB, pages of 25, newest first; both axes logarithmic`;
};

const text = (x: number, y: number, words: string, attributes = ''): string =>
  `<text x="${x}" y="${y}" ${attributes}>${words}</text>`;

function drawn(
  { points, label, note, colour }: Line,
  labelY: number,
  x: (v: number) => number,
  y: (v: number) => number,
) {
  const path = points.map(({ page, units }, index) => `${index === 0 ? 'M' : 'L'}${x(page)} ${y(units)}`).join('');
  const ours = label.startsWith('counted');
  const [end] = points.slice(-1);
  return [
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${ours ? 3.5 : 2}"/>`,
    ...points.map(
      ({ page, units }) => `<circle cx="${x(page)}" cy="${y(units)}" r="${ours ? 4.5 : 3}" fill="${colour}"/>`,
    ),
    `<path d="M${FRAME.right + 6} ${y(end?.units ?? 1)}L${FRAME.right + 20} ${labelY - 4}" stroke="#cbd5e1"/>`,
    text(
      FRAME.right + 26,
      labelY,
      `${label}: ${(end?.units ?? 0).toLocaleString('en')}`,
      `fill="${colour}" font-weight="600"`,
    ),
    text(FRAME.right + 26, labelY + 14, note, `font-size="11" ${MUTED}`),
  ];
}

/** A logarithmic axis; its ticks are the powers of ten and the end of the pages. */
function scale(from: number, to: number, start: number, end: number) {
  const at = (value: number): number =>
    Math.round(start + ((Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from))) * (end - start));
  const powers = Array.from({ length: Math.floor(Math.log10(to) + 1e-9) + 1 }, (_, power) => 10 ** power);
  return { at, ticks: start < end && to / (powers.at(-1) ?? 1) > 1.5 ? [...powers, to] : powers };
}

/** Where labels go so that none covers another: as near to their lines as the next one allows, from the lowest up. */
function apart(positions: readonly number[]): number[] {
  const placed = [...positions];
  const order = positions
    .map((_, index) => index)
    .toSorted((a, b) => (positions[b] ?? 0) - (positions[a] ?? 0) || b - a);
  let limit = FRAME.bottom;
  for (const index of order) {
    placed[index] = Math.min(positions[index] ?? 0, limit);
    limit = (placed[index] ?? 0) - LABEL_HEIGHT;
  }
  return placed;
}
