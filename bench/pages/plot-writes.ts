import { heading, MUTED, picture, svgText } from '../svg.ts';
import { SERIES, type Writing } from './writes.ts';

/** Draws write units of a create against the number of filter fields, as an SVG of its own. */

const SIZE = { width: 900, height: 430 };
const FRAME = { left: 60, right: 590, top: 64, bottom: 364 };

const LINES = [
  {
    series: SERIES.combinations,
    colour: '#ea580c',
    anchor: 'end',
    notes: ['any combination, no total; ends', 'where DynamoDB has no more indexes'],
  },
  {
    series: SERIES.counted,
    colour: '#0f766e',
    anchor: 'start',
    notes: ['any combination, any page, exact total;', 'no index'],
  },
  { series: SERIES.fields, colour: '#94a3b8', anchor: 'start', notes: ['one field at a time, no total'] },
];

export function plotOfWrites(writings: readonly Writing[]): string {
  const fields = Math.max(...writings.map((writing) => writing.fields));
  const units = Math.ceil(Math.max(...writings.map(({ writeUnits }) => writeUnits)) / 5) * 5;
  const x = (value: number): number => Math.round(FRAME.left + (value / fields) * (FRAME.right - FRAME.left));
  const y = (value: number): number => Math.round(FRAME.bottom - (value / units) * (FRAME.bottom - FRAME.top));
  return picture(SIZE, 'Write units a create costs, by number of filter fields', [
    ...heading(FRAME.left, 'What a create costs', 'a record of 0.5 KB in a list with this many fields to filter by'),
    ...Array.from({ length: units / 5 + 1 }, (_, tick) => tick * 5).flatMap((tick) => [
      `<path d="M${FRAME.left} ${y(tick)}H${FRAME.right}" stroke="${tick === 0 ? '#94a3b8' : '#e2e8f0'}"/>`,
      svgText(FRAME.left - 10, y(tick) + 4, String(tick), `text-anchor="end" ${MUTED}`),
    ]),
    ...Array.from({ length: fields + 1 }, (_, tick) =>
      svgText(x(tick), FRAME.bottom + 21, String(tick), `text-anchor="middle" ${MUTED}`),
    ),
    svgText((FRAME.left + FRAME.right) / 2, FRAME.bottom + 46, 'filter fields', `text-anchor="middle" ${MUTED}`),
    `<text transform="translate(18 ${(FRAME.top + FRAME.bottom) / 2}) rotate(-90)" text-anchor="middle" ${MUTED}>write units</text>`,
    ...LINES.flatMap(({ series, colour, anchor, notes }) => {
      const points = writings.filter((writing) => writing.series === series);
      const path = points.map(
        ({ fields: at, writeUnits }, index) => `${index === 0 ? 'M' : 'L'}${x(at)} ${y(writeUnits)}`,
      );
      const [to, up] = anchor === 'end' ? [-16, 34] : [14, 0];
      const end = { x: x(points.at(-1)?.fields ?? 0) + to, y: y(points.at(-1)?.writeUnits ?? 0) - up };
      return [
        `<path d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="${series === SERIES.counted ? 3.5 : 2.5}"/>`,
        ...points.map(
          ({ fields: at, writeUnits }) => `<circle cx="${x(at)}" cy="${y(writeUnits)}" r="3.5" fill="${colour}"/>`,
        ),
        svgText(end.x, end.y, series, `fill="${colour}" font-weight="600" text-anchor="${anchor}"`),
        ...notes.map((note, index) =>
          svgText(end.x, end.y + 16 + 14 * index, note, `font-size="11" text-anchor="${anchor}" ${MUTED}`),
        ),
      ];
    }),
  ]);
}
