import { heading, MUTED, picture, svgText } from '../svg.ts';
import type { PageReading } from './reads.ts';

/** Draws read units against page number, both logarithmic, as an SVG of its own. */

const SIZE = { width: 900, height: 470 };
const FRAME = { left: 78, right: 610, top: 64, bottom: 404 };
const LABEL_HEIGHT = 36;

interface Series {
  readonly label: string;
  readonly note: string;
  readonly colour: string;
  readonly list: string;
  readonly way: string;
}

/** The lines from the top down. The two libraries send the same queries; their line is dashed, because it lies on the walk's. */
const SERIES: readonly Series[] = [
  { label: 'COUNT', note: 'exact total', colour: '#7c3aed', list: 'no deletes', way: 'COUNT, and the total' },
  { label: 'ElectroDB, dynamodb-toolbox', note: 'no total', colour: '#ea580c', list: 'no deletes', way: 'ElectroDB' },
  { label: 'walk', note: 'no total', colour: '#94a3b8', list: 'no deletes', way: 'walk' },
  {
    label: 'counted list, a third deleted',
    note: 'exact total',
    colour: '#14b8a6',
    list: 'a third deleted',
    way: 'counted list',
  },
  { label: 'counted list', note: 'exact total', colour: '#0f766e', list: 'no deletes', way: 'counted list' },
];

interface Line extends Series {
  readonly points: readonly { readonly page: number; readonly units: number }[];
}

export function plotOf(readings: readonly PageReading[]): string {
  const lines = SERIES.map((series): Line => {
    const own = readings.filter(({ list, way }) => list === series.list && way === series.way);
    return { ...series, points: own.map(({ page, cost }) => ({ page, units: cost.readUnits })) };
  });
  const points = lines.flatMap((line) => line.points);
  const x = scale(1, Math.max(...points.map(({ page }) => page)), FRAME.left, FRAME.right);
  const y = scale(1, Math.max(...points.map(({ units }) => units), 10) * 1.4, FRAME.bottom, FRAME.top);
  const labels = apart(lines.map(({ points: own }) => y.at(own.at(-1)?.units ?? 1)));
  return picture(SIZE, 'Read units a page costs, by page number', [
    ...heading(FRAME.left, 'What page N of a list costs', subtitle(readings)),
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
    `<text transform="translate(20 ${(FRAME.top + FRAME.bottom) / 2}) rotate(-90)" text-anchor="middle" ${MUTED}>read units</text>`,
    ...lines.flatMap((line, index) => drawn(line, labels[index] ?? 0, x.at, y.at)).toSorted(dashedLast),
  ]);
}

const subtitle = (readings: readonly PageReading[]): string => {
  const last = Math.max(...readings.map(({ page }) => page));
  return `${(last * 25).toLocaleString('en')} records of 0.5 KB, pages of 25, newest first; both axes logarithmic`;
};

function drawn(
  { points, label, note, colour, way }: Line,
  labelY: number,
  x: (page: number) => number,
  y: (units: number) => number,
): string[] {
  const path = points.map(({ page, units }, index) => `${index === 0 ? 'M' : 'L'}${x(page)} ${y(units)}`).join('');
  const [width, radius] = way === 'counted list' ? [3.5, 4.5] : [2.5, 3.5];
  const end = points.at(-1)?.units ?? 1;
  const cost = `${Math.round(end).toLocaleString('en')} read units at the last page; ${note}`;
  return [
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}"${way === 'ElectroDB' ? DASHED : ''}/>`,
    ...points.map(({ page, units }) => `<circle cx="${x(page)}" cy="${y(units)}" r="${radius}" fill="${colour}"/>`),
    `<path d="M${FRAME.right + 7} ${y(end)}L${FRAME.right + 20} ${labelY - 4}" stroke="#cbd5e1"/>`,
    svgText(FRAME.right + 26, labelY, label, `fill="${colour}" font-weight="600"`),
    svgText(FRAME.right + 26, labelY + 15, cost, `font-size="11" ${MUTED}`),
  ];
}

const DASHED = ' stroke-dasharray="8 8"';
/** Draws dashed lines over solid ones. */
const dashedLast = (one: string, other: string): number =>
  Number(one.includes(DASHED)) - Number(other.includes(DASHED));

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
