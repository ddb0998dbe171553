import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/**
 * As much of CloudFormation as decides whether a stack can be deployed again: which names are taken, what a deletion policy leaves behind, and
 * what protection refuses. Stacks are deployed as the `cdk` command does it: it switches termination protection on before it creates
 * anything, and deletes a stack whose creation failed before it makes it anew.
 */

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.enum(['Delete', 'Retain', 'RetainExceptOnCreate']).default('Delete'),
  UpdateReplacePolicy: z.enum(['Delete', 'Retain']).default('Delete'),
});
type Declared = z.infer<typeof resourceSchema>;

export interface StackToDeploy {
  readonly name: string;
  readonly terminationProtection: boolean;
  readonly resources: ReadonlyMap<string, Declared>;
}

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({ properties: z.object({ terminationProtection: z.boolean().default(false) }).optional() }),
  ),
});

/** A stack of an assembly directory. */
export function stackIn(assembly: string, name: string): StackToDeploy {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(assembly, file), 'utf8'));
  const { artifacts } = manifestSchema.parse(read('manifest.json'));
  return {
    ...stackOf(read(`${name}.template.json`), name),
    terminationProtection: artifacts[name]?.properties?.terminationProtection ?? false,
  };
}

/** The stack of a template. */
export function stackOf(template: unknown, name: string): StackToDeploy {
  const { Resources } = z.object({ Resources: z.record(z.string(), resourceSchema) }).parse(template);
  return { name, terminationProtection: false, resources: new Map(Object.entries(Resources)) };
}

/** Types whose names need not differ, or only within something that is made with the stack: an API, a role, a function. */
const NAMED_WITHIN: readonly string[] = [
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::Backup::BackupPlan',
  'AWS::Backup::BackupSelection',
];

/** With what a resource chooses its own name: `LogGroupName` of a `LogGroup`. An alias has one within its function. */
export function nameOf({ Type, Properties }: Pick<Declared, 'Type' | 'Properties'>): unknown {
  if (Type === 'AWS::Lambda::Alias') return { 'Fn::Join': [':', [Properties.FunctionName, Properties.Name]] };
  const kind = Type.split('::').at(-1) ?? '';
  const isName = (property: string): boolean =>
    property === 'Name' || property === kind || (/.Name$/.test(property) && kind.endsWith(property.slice(0, -4)));
  const [, name] = Object.entries(Properties).find(([property]) => isName(property)) ?? [];
  return NAMED_WITHIN.includes(Type) ? undefined : name;
}

interface Existing {
  readonly declared: Declared;
  /** Its name, or the id that it was given. */
  readonly physicalId: string;
}

interface Deployment {
  isCreated: boolean;
  isProtected: boolean;
  readonly existing: Map<string, Existing>;
}

/** One account and region. */
export class CloudFormation {
  /** What no stack knows of any more, and still exists. */
  readonly orphans: Existing[] = [];
  readonly #stacks = new Map<string, Deployment>();
  readonly #taken = new Set<string>();
  #serial = 0;

  /**
   * @param failingAt logical id of a resource that cannot be created, at a first deployment
   * @throws Error where a name is taken, or a protection in the way
   */
  deploy(stack: StackToDeploy, { failingAt }: { readonly failingAt?: string } = {}): void {
    if (this.#stacks.get(stack.name)?.isCreated === false) this.destroy(stack.name);
    const known = this.#stacks.get(stack.name);
    if (known === undefined) this.#createAll(stack, failingAt);
    else this.#update(known, stack);
  }

  #createAll(stack: StackToDeploy, failingAt: string | undefined): void {
    const made: Deployment = { isCreated: false, isProtected: stack.terminationProtection, existing: new Map() };
    this.#stacks.set(stack.name, made);
    for (const id of stack.resources.keys()) {
      if (id === failingAt) break;
      this.#create(made, stack, id);
    }
    made.isCreated = failingAt === undefined;
    if (!made.isCreated) this.#rollBack(made);
  }

  /** @throws Error where a protection is in the way */
  destroy(name: string): void {
    const deployment = this.#stacks.get(name);
    if (deployment?.isProtected) throw new Error(`stack ${name} cannot be deleted: its termination protection is on`);
    for (const existing of deployment?.existing.values() ?? []) {
      this.#remove(existing, existing.declared.DeletionPolicy !== 'Delete');
    }
    this.#stacks.delete(name);
  }

  #rollBack({ existing }: Deployment): void {
    for (const each of existing.values()) this.#remove(each, each.declared.DeletionPolicy === 'Retain');
    existing.clear();
  }

  #update(deployment: Deployment, stack: StackToDeploy): void {
    const before = new Map(deployment.existing);
    deployment.isProtected = stack.terminationProtection;
    for (const [id, declared] of stack.resources) {
      const old = before.get(id);
      const name = this.#resolve(nameOf(declared), deployment, stack);
      if (old !== undefined && (name === undefined || name === old.physicalId)) {
        deployment.existing.set(id, { ...old, declared });
        continue;
      }
      deployment.existing.delete(id);
      this.#create(deployment, stack, id);
      if (old !== undefined) this.#remove(old, declared.UpdateReplacePolicy === 'Retain');
    }
    for (const [id, old] of before) {
      if (stack.resources.has(id)) continue;
      deployment.existing.delete(id);
      this.#remove(old, old.declared.DeletionPolicy !== 'Delete');
    }
  }

  /** Creates a resource, after those that its name is made of. */
  #create(deployment: Deployment, stack: StackToDeploy, id: string): Existing {
    const there = deployment.existing.get(id);
    if (there !== undefined) return there;
    const declared = stack.resources.get(id);
    if (declared === undefined) throw new Error(`${stack.name} has no ${id}`);
    const name = this.#resolve(nameOf(declared), deployment, stack);
    const made = { declared, physicalId: name ?? `${stack.name}-${id}-${this.#serial++}` };
    if (this.#taken.has(keyOf(made))) throw new Error(`${keyOf(made)} already exists`);
    this.#taken.add(keyOf(made));
    deployment.existing.set(id, made);
    return made;
  }

  #remove(existing: Existing, isKept: boolean): void {
    if (isKept) {
      this.orphans.push(existing);
      return;
    }
    if (isProtectedTable(existing)) throw new Error(`table ${existing.physicalId} is protected against deletion`);
    this.#taken.delete(keyOf(existing));
  }

  #resolve(name: unknown, deployment: Deployment, stack: StackToDeploy): string | undefined {
    if (name === undefined || typeof name === 'string') return name;
    const { Ref: ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = name as Record<string, unknown>;
    const idOf = (id: unknown): string => this.#create(deployment, stack, String(id)).physicalId;
    if (ref === 'AWS::StackName') return stack.name;
    if (ref === 'AWS::Region') return 'eu-west-1';
    if (ref !== undefined) return idOf(ref);
    if (Array.isArray(attribute)) return `${idOf(attribute[0])}.${attribute[1]}`;
    if (!Array.isArray(join)) throw new Error(`${JSON.stringify(name)} is not simulated`);
    const parts = (join[1] as readonly unknown[]).map((part) => this.#resolve(part, deployment, stack));
    return parts.join(String(join[0]));
  }
}

const keyOf = ({ declared, physicalId }: Existing): string => `${declared.Type} ${physicalId}`;

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithTables.Basics.html#WorkingWithTables.Basics.DeletionProtection */
const isProtectedTable = ({ declared }: Existing): boolean =>
  /"DeletionProtectionEnabled":true/.test(JSON.stringify(declared.Properties));
