import { heading, MUTED, picture, svgText } from './svg.ts';

/** Horizontal bars in groups: a bar for each series of a group, their values at their ends, and a line to compare with. */
export interface Bars {
  readonly title: string;
  readonly subtitle: string;
  /** The values at the ends as text; empty where a bar has only its value. */
  readonly series: readonly Series[];
  readonly groups: readonly { readonly label: string; readonly values: readonly (number | undefined)[] }[];
  /** The line that values are compared with. */
  readonly lines: readonly { readonly at: number; readonly label: string }[];
  readonly digits: number;
}

interface Series {
  readonly label: string;
  readonly colour: string;
}

/** The colour of our bars, and those of others in the order of the tables. */
export const COLOURS = ['#0f766e', '#7c3aed', '#ea580c', '#0284c7', '#94a3b8'] as const;

const WIDTH = 900;
const FRAME = { left: 150, right: 840, top: 104 };
const BAR = 13;
const GAP = 12;
/** Keeps a text legible that crosses a line. */
const ON_LINES = 'stroke="#ffffff" stroke-width="3" paint-order="stroke"';

export function plotOfBars({ title, subtitle, series, groups, lines, digits }: Bars): string {
  const groupHeight = series.length * BAR + GAP;
  const bottom = FRAME.top + groups.length * groupHeight;
  const most = Math.max(
    ...groups.flatMap(({ values }) => values.map((value) => value ?? 0)),
    ...lines.map(({ at }) => at),
  );
  const x = (value: number): number => Math.round(FRAME.left + (value / (most * 1.02)) * (FRAME.right - FRAME.left));
  return picture({ width: WIDTH, height: bottom + 16 }, title, [
    ...heading(24, title, subtitle),
    ...legend(series),
    ...lines.flatMap(({ at, label }) => [
      `<path d="M${x(at)} ${FRAME.top - 6}V${bottom - GAP + 6}" stroke="#1e293b" stroke-dasharray="4 4"/>`,
      svgText(x(at), FRAME.top - 12, label, `text-anchor="middle" font-size="11" ${MUTED}`),
    ]),
    ...groups.flatMap(({ label, values }, group) => {
      const top = FRAME.top + group * groupHeight;
      return [
        svgText(FRAME.left - 10, top + (series.length * BAR) / 2 + 4, label, 'text-anchor="end"'),
        ...values.flatMap((value, index) =>
          value === undefined ? [] : bar(value, top + index * BAR, series[index]?.colour ?? ''),
        ),
      ];
    }),
  ]);

  function bar(value: number, top: number, colour: string): string[] {
    return [
      `<rect x="${FRAME.left}" y="${top}" width="${x(value) - FRAME.left}" height="${BAR - 2}" fill="${colour}"/>`,
      svgText(x(value) + 5, top + BAR - 4, value.toFixed(digits), `font-size="10" ${MUTED} ${ON_LINES}`),
    ];
  }
}

/** One after the other, above the bars. */
function legend(series: readonly Series[]): string[] {
  if (series.length < 2) return [];
  let left = 24;
  return series.flatMap(({ label, colour }) => {
    const at = left;
    left += 34 + label.length * 7;
    return [
      `<rect x="${at}" y="64" width="11" height="11" fill="${colour}"/>`,
      svgText(at + 17, 74, label, 'font-size="12"'),
    ];
  });
}
