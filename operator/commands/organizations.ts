import { type Organization, readSuspension, type Suspension } from '#tenancy';
import { withConcurrency } from '../../local/pool.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { organizations, tenantOf } from '../as-operator.ts';
import { command, type Declare } from '../command.ts';
import { resumeOrganization, suspendOrganization } from '../suspending.ts';

/** The list of organizations, under the operator role; suspending one, in an STS session for that one organization. */

export const organizationCommands: readonly Declare[] = [
  command({
    name: 'organizations list',
    description: 'List all organizations, the oldest first, with who is suspended',
    role: 'OperatorRoleArn',
    opens: 'target',
    examples: ['organizations list --outputs outputs.json', 'organizations list --local --json'],
    run: async () => {
      const listed = await withConcurrency(AT_ONCE, await Array.fromAsync(organizations()), withSuspension);
      return { value: listed, lines: [...listed.map(organizationLine), `Organizations: ${listed.length}.`] };
    },
  }),
  command({
    name: 'organizations suspend',
    description: 'Refuse all keys of an organization from now on: logins, tokens and webhooks. Its data stays',
    role: 'MaintenanceRoleArn',
    opens: 'organization',
    examples: ['organizations suspend --org acme --outputs outputs.json'],
    run: async (_, id) => {
      const suspended = await suspendOrganization(id);
      const { state, since, changed } = suspended;
      const line = changed
        ? `${id} is suspended: all of its keys are refused.`
        : `${id} is ${state} since ${since} already.`;
      return { value: { org_id: id, ...suspended }, lines: [line] };
    },
  }),
  command({
    name: 'organizations resume',
    description: 'Accept the keys of a suspended organization again, as they were',
    role: 'MaintenanceRoleArn',
    opens: 'organization',
    examples: ['organizations resume --org acme --outputs outputs.json'],
    run: async (_, id) => {
      const changed = await resumeOrganization(id);
      const line = changed ? `${id} is resumed: its keys work again.` : `${id} is not suspended.`;
      return { value: { org_id: id, state: 'active', changed }, lines: [line] };
    },
  }),
];

type Listed = Pick<Organization, 'id' | 'name' | 'slug' | 'created_at'> & {
  /** Null where it is not suspended. */
  readonly suspension: Pick<Suspension, 'state' | 'since'> | null;
};

/** Number of suspensions read at the same time. */
const AT_ONCE = 50;

async function withSuspension({ id, name, slug, created_at }: Organization): Promise<Listed> {
  const found = await readSuspension(tenantOf(id));
  const suspension = found === undefined ? null : { state: found.state, since: found.since };
  return { id, name, slug, created_at, suspension };
}

const organizationLine = ({ id, name, slug, created_at, suspension }: Listed): string =>
  [
    id,
    created_at,
    slug,
    quoted(name),
    ...(suspension === null ? [] : [`(${suspension.state} since ${suspension.since})`]),
  ].join('  ');
