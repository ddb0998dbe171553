import * as z from 'zod';
import * as field from '#contract/field';
import type { RequestSession, Tenant } from '#table';
import { readPointer } from '#tenancy';
import { ask, printError } from '../local/terminal/output.ts';
import { quoted } from '../local/terminal/printable.ts';
import { organizations, PLATFORM, tenantOf } from './as-operator.ts';
import { OperatorProblem } from './problem.ts';
import type { RoleOutput } from './target.ts';
import { openDirectory, openTarget, type TargetOptions } from './target.ts';

/**
 * The tenant that `--org` names: an organization by its id, its slug or the app code of an integration, or the
 * platform.
 */

export interface TenantOptions extends TargetOptions {
  readonly org: string;
}

/** What `--org` takes, as help says it. */
export const ORG = {
  flags: '--org <org>',
  organization: 'id of the organization, or its slug or an app code of it, where no other has the same',
  tenant: 'id of an organization, or its slug or an app code of it, where no other has the same; or "platform"',
} as const;

/** A target that is open for one tenant: `PLATFORM` or the id of an organization. */
interface TenantTarget extends AsyncDisposable {
  readonly id: string;
}

/**
 * As {@link openTarget}, for the tenant that `--org` names.
 * @throws OperatorProblem when it names none, or more than one; what {@link openTarget} throws
 */
export async function openForTenant(
  options: TenantOptions,
  role: RoleOutput,
  needs?: { readonly secrets?: boolean },
): Promise<TenantTarget> {
  const given = options.org.toLowerCase() === 'platform' ? PLATFORM : idIn(options.org);
  if (given === undefined && !field.code().safeParse(options.org).success)
    throw new OperatorProblem('--org must be the id, the slug or an app code of an organization, or "platform".');
  await using opened = new AsyncDisposableStack();
  opened.use(await openTarget(options, role, needs));
  const id = given ?? (await lookUp(options.org, await openDirectory(options)));
  return Object.assign(opened.move(), { id });
}

/**
 * As {@link openForTenant}, for an organization.
 * @throws OperatorProblem also when `--org` names the platform
 */
export async function openForOrganization(options: TenantOptions, role: RoleOutput): Promise<TenantTarget> {
  await using opened = new AsyncDisposableStack();
  const { id } = opened.use(await openForTenant(options, role));
  if (id === PLATFORM)
    throw new OperatorProblem(`--org must name an organization, and ${quoted(options.org)} is the platform.`);
  return Object.assign(opened.move(), { id });
}

/**
 * The organization that `--org` names by its id, for commands that delete: a slug can be chosen by anybody.
 * @throws OperatorProblem when it is no id
 */
export function organizationIdIn(org: string): string {
  const id = idIn(org);
  if (id === undefined) throw new OperatorProblem('--org must be the id of an organization here, not its slug.');
  return id;
}

/** @throws OperatorProblem where `--yes` is given and is another id than `--org` */
export function requireSameId(id: string, yes: string | undefined): void {
  if (yes !== undefined && yes.toLowerCase() !== id)
    throw new OperatorProblem(`--yes must be the same id as --org, ${id}.`);
}

/**
 * Asks the person at the terminal to type the slug of an organization.
 * @param what the command does: `replaces the data of …`
 * @throws OperatorProblem without a terminal
 */
export async function confirmed({ slug }: { readonly slug: string }, what: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new OperatorProblem('Without a terminal to ask, confirm with --yes and the id of the organization.');
  return (await ask(`This ${what}. Type its slug (${slug}) to go on: `)).trim() === slug;
}

export const idIn = (text: string): string | undefined => z.guid().toLowerCase().safeParse(text).data;

/** Parses an option that names a record or a request by its id. */
export const idOption =
  (option: string, what: string) =>
  (text: string): string => {
    const id = idIn(text);
    if (id === undefined) throw new OperatorProblem(`${option} must be the id of ${what}.`);
    return id;
  };

async function lookUp(text: string, session: RequestSession): Promise<string> {
  const found = new Map<string, string>();
  for await (const { id, slug, name } of organizations(session)) if (slug === text) found.set(id, quoted(name));
  const holder = await readPointer(session.tables.environment, text);
  if (holder !== undefined) found.set(holder.orgId ?? PLATFORM, `which has the app code ${text}`);
  return onlyOne(text, found);
}

/**
 * The tenant that a text names. It is printed, because whoever gave the text has not seen the id.
 * @param found what people know of each that it may name, by its id
 * @throws OperatorProblem when there is none, or more than one
 */
export function onlyOne(text: string, found: ReadonlyMap<string, string>): string {
  const [first, ...others] = found;
  if (first === undefined) throw new OperatorProblem(`There is no organization ${quoted(text)}.`);
  if (others.length > 0)
    throw new OperatorProblem(`${quoted(text)} is more than one: name ${[...found.keys()].join(' or ')}.`);
  const [id, known] = first;
  printError(`${text} is ${id}, ${known}.`);
  return id;
}

/**
 * A handle to an existing tenant, for commands that read.
 * @throws OperatorProblem when there is none
 */
export async function openTenant(id: string): Promise<Tenant> {
  const tenant = tenantOf(id);
  await requireExisting(tenant);
  return tenant;
}

/** @throws OperatorProblem when there is no such organization */
export async function requireExisting(tenant: Tenant): Promise<void> {
  if (!(await tenant.exists())) throw new OperatorProblem(`There is no organization ${tenant.id}.`);
}
