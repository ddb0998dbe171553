import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { PARTS, resourcesIn, stageOf, type Templates } from './synthesize.ts';

/**
 * The templates of a stage as a reviewer reads them. References are worked out, and hashes of code and of logical ids are left out. What every function
 * has stands there once, with the names of the functions that have it alike.
 */

/** The lines of each resource by its stack, its type, its logical id and, where it belongs to functions, their names. */
export type NormalForm = ReadonlyMap<string, readonly string[]>;

const FUNCTIONS = functionNames(contracts);
const ANY = '<function>';

export function normalForm(templates: Templates): NormalForm {
  const { resources, outputs, tableArn, tableName } = stageOf(templates);
  const named = { [tableArn]: '<the table>', [tableName]: '<name of the table>' };
  const found = PARTS.flatMap((part) =>
    Object.keys(resourcesIn(templates[part])).map((id) => ({ part, id, resource: resources.get(id), named })),
  );
  const alike = Map.groupBy(found.map(shortened), ({ heading, text }) => heading + text);
  const told = Object.entries(outputs).filter(([id]) => !id.startsWith('Publish'));
  const entries = [
    ...Array.from(alike.values(), (group): [string, string[]] => [
      [group[0]?.heading, ...group.flatMap(({ name }) => name ?? [])].join(' '),
      Object.entries(JSON.parse(group[0]?.text ?? '')).flatMap(([key, value]) => linesOf(`${key}:`, value, '  ')),
    ]),
    ['outputs', told.map(([id, value]) => `  ${id}: ${withoutHashes(value)}`)] as [string, string[]],
  ];
  const form = new Map(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  if (form.size < entries.length) throw new Error('two resources have the same name but for its hash');
  return form;
}

/** How a form differs from another one: resources that only one of them has, and of the others the lines. */
export const differing = (form: NormalForm, from: NormalForm): NormalForm =>
  new Map([
    ...[...form].flatMap(([heading, lines]): [string, readonly string[]][] => {
      const before = from.get(heading);
      if (before === undefined) return [[heading, lines]];
      const [gone, come] = [linesBeyond(before, lines), linesBeyond(lines, before)];
      const changes = [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)];
      return changes.length === 0 ? [] : [[`changed: ${heading}`, changes]];
    }),
    ...[...from.keys()].flatMap((heading): [string, string[]][] =>
      form.has(heading) ? [] : [[`without: ${heading}`, []]],
    ),
  ]);

const linesBeyond = (lines: readonly string[], others: readonly string[]): string[] =>
  Array.from(
    Map.groupBy(
      lines.filter((line) => !others.includes(line)),
      (line) => line,
    ),
    ([line, { length }]) => (length > 1 ? `${line} (${length} times)` : line),
  );

export const textOf = (form: NormalForm): string =>
  Array.from(form, ([heading, lines]) => `${[heading, ...lines].join('\n')}\n`).join('\n');

interface Found {
  readonly part: string;
  readonly id: string;
  readonly resource: unknown;
  /** What stands for what in texts. */
  readonly named: Readonly<Record<string, string>>;
}

function shortened({ part, id, resource, named }: Found) {
  const { Type, Metadata: _, ...rest } = resource as Record<string, unknown>;
  const short = withoutHashes(id);
  const name = FUNCTIONS.find((each) => forAny(short, each) !== short);
  const whole = JSON.stringify(simplified(rest));
  const text = withoutHashes(Object.entries(named).reduce((so, [from, to]) => so.replaceAll(from, to), whole));
  const [anyId, anyText] = [short, text].map((each) => (name === undefined ? each : forAny(each, name)));
  return { name, heading: `${part} ${String(Type).replace('AWS::', '')} ${anyId}`, text: anyText ?? '' };
}

/** A logical id ends with eight digits; that of a version or of a deployment with 32 more, which say what is in it. */
const withoutHashes = (text: string): string => text.replaceAll(/\b([A-Z]\w*?)[0-9A-F]{8}([0-9a-f]{32})?\b/g, '$1');

const BEFORE =
  'Functions|AccessDenied|Throttled|function-?|rollback-?|Canary|custodia-dev-|runs |calls of |version of ';

/** A text about a function, as if it were about any. A logical id has the function's name without hyphens. */
const forAny = (text: string, name: string): string =>
  text.replaceAll(new RegExp(`(${BEFORE})(?:${name}|${name.replaceAll('-', '')})(?![a-z0-9-])`, 'g'), `$1${ANY}`);

/** Left out: what any resource has, and what has a test of its own, which are operations of the API (`routes.test.ts`) and graphs (`dashboard.test.ts`). */
const LEFT_OUT = ['Tags', 'Code', 'DashboardBody', 'paths', 'ReturnData'];

/** Without what is left out, and in a line what AWS says in many. */
function simplified(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return isNamed(value) ? Object.fromEntries(value.map(({ Name, Value }) => [Name, Value])) : value.map(simplified);
  const { Statement, Effect, MetricStat, Expression, Id } = value as Record<string, unknown>;
  if (Array.isArray(Statement)) return Statement.map(simplified);
  if (typeof Effect === 'string') return statementLine(value as PolicyStatement);
  if (MetricStat !== undefined) return metricLine(Id, MetricStat as MetricStat);
  if (Expression !== undefined) return `${Id} = ${Expression}`;
  const entries = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (LEFT_OUT.includes(key)) return [];
    if (key === 'DependsOn') return [[key, ofFunctions(each)]];
    return [[key.replace('gatewayresponse.header.', ''), simplified(each)]];
  });
  return Object.fromEntries(entries);
}

type PolicyStatement = Readonly<Record<'Effect' | 'Action' | 'Resource' | 'Principal' | 'Condition', unknown>>;

const statementLine = ({ Effect, Action, Resource, Principal, Condition }: PolicyStatement): string =>
  [
    `${Effect} ${[Action].flat().join(', ')}`,
    ...(Resource === undefined ? [] : [`on ${[Resource].flat().join(', ')}`]),
    ...(Principal === undefined ? [] : [`to ${inline(Principal)}`]),
    ...(Condition === undefined ? [] : [`if ${inline(Condition)}`]),
  ].join(' ');

interface MetricStat {
  readonly Metric: Readonly<Record<'Namespace' | 'MetricName' | 'Dimensions', unknown>>;
  readonly Period: number;
  readonly Stat: string;
}

const metricLine = (id: unknown, { Metric, Period, Stat }: MetricStat): string =>
  `${id}: ${Stat} of ${Metric.Namespace} ${Metric.MetricName} by ${inline(simplified(Metric.Dimensions))} in ${Period} s`;

const isNamed = (values: readonly object[]): values is { Name: string; Value: unknown }[] =>
  values.length > 0 && values.every((each) => Object.keys(each).toSorted().join() === 'Name,Value');

const ofFunctions = (ids: unknown): readonly string[] =>
  [...new Set([ids].flat().map((id) => FUNCTIONS.reduce(forAny, withoutHashes(String(id)))))].toSorted();

const WIDTH = 150;

/** As YAML, more or less, with as much in a line as fits. */
function linesOf(key: string, value: unknown, indent: string): string[] {
  const line = `${indent}${key} ${inline(value)}`;
  if (line.length <= WIDTH || typeof value !== 'object' || value === null) return [line];
  const entries = Array.isArray(value) ? value.map((each) => ['-', each]) : Object.entries(value);
  const inside = entries.flatMap(([name, each]) => linesOf(name === '-' ? name : `${name}:`, each, `${indent}  `));
  return [`${indent}${key}`, ...inside];
}

function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${key}: ${inline(each)}`)
    .join(', ')} }`;
}
