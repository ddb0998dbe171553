import { PLATFORM } from '../keys.ts';
import { cascadeDeletesOf, finishCascadeDeletes } from '../repository/cascade-delete.ts';
import { listedEntity } from '../system/organizations.ts';
import type { Tenant } from '../tenant.ts';
import { Children } from './children.ts';
import { Claims } from './claims.ts';
import { Counters } from './counters.ts';
import type { Scope, Verified } from './difference.ts';
import { type Kind, kind } from './kinds.ts';
import { verifyList } from './list.ts';
import { verifyOrganization } from './organization.ts';
import { type Survey, surveyOf } from './survey.ts';

/**
 * Recounts all that a tenant's data tells twice: lists and filters, counters, unique values, the list of organizations. Records are the truth. Safe
 * while the API is in use: what a survey suspects is looked at again by itself, at one moment, and repaired on condition that it is still so. A
 * request that changes it meanwhile wins, and it is looked at again.
 */

export interface Verification {
  /** Records that were looked at. */
  readonly records: number;
  readonly differences: readonly Verified[];
}

interface Options {
  readonly repair: boolean;
  /** Told of each difference when it is found. */
  readonly report?: (difference: Verified) => void;
}

export async function verify(
  tenant: Tenant,
  kinds: readonly Kind[],
  { repair, report = () => undefined }: Options,
): Promise<Verification> {
  const { session, id } = tenant;
  const scope: Scope = { table: session.tableOf(id), tenant: id, clock: session.clock, repair };
  const differences: Verified[] = [];
  const tell = (found: readonly Verified[]): void => {
    for (const difference of found) {
      differences.push(difference);
      report(difference);
    }
  };

  const waiting = await cascadeDeletesOf(scope.table, id);
  const listed = id === PLATFORM ? [...kinds, kind(listedEntity)] : kinds;
  const counters = listed.map((each) => new Counters(scope, each));
  const looked = await Promise.all(listed.map((each) => lookThrough(scope, each, counters)));
  for (const { survey, kind } of looked)
    tell(await verifyList(scope, survey, (field) => valuesOf(kind, field, looked)));
  for (const each of counters) tell(await each.verify());
  for (const { claims, children } of looked) tell([...(await claims.verify()), ...(await children.verify())]);
  tell(await verifyOrganization(scope));
  tell(await verifySweeps(scope, waiting));
  return { records: looked.reduce((sum, { survey }) => sum + survey.count, 0), differences };
}

interface Looked {
  readonly kind: Kind;
  readonly survey: Survey;
  readonly ids: readonly string[];
  readonly claims: Claims;
  readonly children: Children;
}

/** Looks at all records of a kind once. */
async function lookThrough(scope: Scope, kind: Kind, counters: readonly Counters[]): Promise<Looked> {
  const { entity } = kind;
  const claims = new Claims(scope, entity);
  const children = new Children(scope, kind);
  const ids: string[] = [];
  const visitors = [...counters.map((each) => each.visitor(entity.name)), claims.visit, children.visit];
  const survey = await surveyOf(scope, entity, (record, number) => {
    ids.push(String(record.id));
    for (const visit of visitors) visit(record, number);
  });
  return { kind, survey, ids, claims, children };
}

/** Values of a filter that are worth a look though no record may have them: those declared, else those that records of other kinds have there. */
function valuesOf({ values }: Kind, field: string, looked: readonly Looked[]): readonly string[] {
  const known = values[field];
  if (known === undefined) return looked.flatMap(({ survey }) => [...(survey.sets.get(field)?.keys() ?? [])]);
  return 'name' in known ? (looked.find(({ survey }) => survey.entity.name === known.name)?.ids ?? []) : known;
}

/** What waited to be emptied before and still does: whoever began it had time enough. */
async function verifySweeps(scope: Scope, before: readonly string[]): Promise<Verified[]> {
  const { table, tenant, clock, repair } = scope;
  const left = (await cascadeDeletesOf(table, tenant)).filter((partition) => before.includes(partition));
  if (left.length === 0) return [];
  const repaired = repair && (await finishCascadeDeletes(table, tenant, { clock, deadline: Number.POSITIVE_INFINITY }));
  return left.map((partition) => {
    const [, , entity = '', id] = partition.split('#');
    const text = `${partition} belonged to a deleted record and is not empty yet`;
    return { kind: 'unfinished-delete', entity, id, text, repaired };
  });
}
