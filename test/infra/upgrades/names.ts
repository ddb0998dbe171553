/** Names that resources choose for themselves. Two of a type cannot have one at once. */

export interface Named {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/**
 * Types whose names need not differ, or only within something that is made with the stack: an API, a role, a function.
 */
const NAMED_WITHIN: readonly string[] = [
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::Backup::BackupPlan',
  'AWS::Backup::BackupSelection',
];

/** With what a resource chooses its name: `LogGroupName` of a `LogGroup`. An alias has one within its function. */
export function nameOf({ Type, Properties }: Named): unknown {
  if (Type === 'AWS::Lambda::Alias') return { 'Fn::Join': [':', [Properties.FunctionName, Properties.Name]] };
  const kind = Type.split('::').at(-1) ?? '';
  const isName = (property: string): boolean =>
    property === 'Name' || property === kind || (/.Name$/.test(property) && kind.endsWith(property.slice(0, -4)));
  const [, name] = Object.entries(Properties).find(([property]) => isName(property)) ?? [];
  return NAMED_WITHIN.includes(Type) ? undefined : name;
}

/** The name of one of these resources: a reference to another one is the name of that, or else its logical id. */
export function textOfName(resource: Named, all: Readonly<Record<string, Named>>): string {
  const workedOut = (value: unknown): string => {
    const { Ref: id, 'Fn::Join': join } = Object(value) as { readonly Ref?: string; 'Fn::Join'?: [string, unknown[]] };
    if (join !== undefined) return join[1].map(workedOut).join(join[0]);
    const named = id === undefined ? undefined : all[id];
    if (named === undefined) return typeof value === 'string' ? value : JSON.stringify(value);
    return nameOf(named) === undefined ? (id ?? '') : textOfName(named, all);
  };
  return workedOut(nameOf(resource));
}
