import { InvalidArgumentError } from 'commander';
import { isLoopback } from '../../local/gateway/hosts.ts';
import { trimmed } from '../../shared/words.ts';
import { OperatorProblem } from '../problem.ts';
import type { Mapping } from './columns.ts';
import { type ImportKind, importKinds, upsertable, upserting } from './kinds.ts';
import type { FileForm } from './records.ts';

/** Readers of the options of `custodia import`. */

/** The address of an API. A secret goes to it, so it is this machine or behind TLS. */
export function addressIn(text: string): string {
  const { protocol, hostname, href } = URL.parse(text) ?? {};
  const isLocal = isLoopback(hostname?.replace(/^\[(.*)\]$/, '$1') ?? '');
  if (href === undefined || (protocol !== 'https:' && !(protocol === 'http:' && isLocal)))
    throw new InvalidArgumentError('It must be an https address, or an http one of this machine.');
  return href.replace(/\/+$/, '');
}

/** `Nome=name,Notas=`: fields by the headers of their columns. */
export function mappingIn(text: string): Mapping {
  const pairs = text.split(',').map((pair) => /^(?<column>[^=]+)=(?<field>[^=]*)$/.exec(pair)?.groups);
  return new Map(
    pairs.map((pair) => {
      if (pair === undefined) throw new InvalidArgumentError('It must be pairs such as Name=name,Kind=type,Notes=.');
      return [trimmed(pair.column ?? ''), trimmed(pair.field ?? '')];
    }),
  );
}

const FORMATS: ReadonlyMap<string, FileForm['format']> = new Map([
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
]);

interface FormOptions {
  readonly type?: string;
  readonly format?: FileForm['format'];
  readonly map?: Mapping;
  readonly upsert?: true;
}

/**
 * The form of a file, by its options and its name.
 * @throws OperatorProblem where they do not say it, or contradict each other
 */
export function formOf(file: string, options: FormOptions): FileForm {
  const { format: given, map: mapping = new Map() } = options;
  const format = given ?? FORMATS.get(/\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? '');
  if (format === undefined) throw new OperatorProblem(`Say with --format whether ${file} is csv or ndjson.`);
  const kind = kindOf(options);
  if (format === 'ndjson') {
    if (mapping.size > 0) throw new OperatorProblem('--map is for the columns of CSV.');
    return { kind, format };
  }
  if (kind === undefined) throw new OperatorProblem('CSV needs --type: what kind of records it has.');
  return { kind, format, mapping };
}

function kindOf({ type, upsert }: FormOptions): ImportKind | undefined {
  const kind = importKinds.find(({ name }) => name === type);
  if (!upsert) return kind;
  const changing = kind && upserting(kind);
  if (changing === undefined) throw new OperatorProblem(`--upsert takes --type ${upsertable.join(' or ')}.`);
  return changing;
}
