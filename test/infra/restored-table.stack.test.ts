import { beforeAll, describe, expect, it } from 'vitest';
import { CloudFormation, type StackToDeploy, stackIn } from './account/cloudformation.ts';
import { deployedFrom } from './account/template.ts';
import {
  assemble,
  resourcesIn,
  resourcesOf,
  STACKS,
  statementsIn,
  synthesize,
  type Templates,
  templatesIn,
} from './synthesize.ts';

const NAME = 'custodia-prod-restored';
const DATA = 'custodia-dev-data';
const context = { restoredTable: NAME, alarmEmail: 'ops@example.com', backupRetentionDays: 90 };

let templates: Templates;
let other: Templates;
beforeAll(() => {
  templates = synthesize({ context });
  other = synthesize({ context: { ...context, restoredTable: undefined } });
});

const arn = { 'Fn::Join': ['', expect.arrayContaining([expect.stringMatching(new RegExp(`:table/${NAME}$`))])] };

/** Every object anywhere in a value that has this key. */
function having(value: unknown, key: string): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap((each) => having(each, key));
  return key in value ? [value as Record<string, unknown>, ...inside] : inside;
}

describe('a stage whose table was restored', () => {
  it('has no table of its own, and names none', () => {
    const [[id] = ['']] = resourcesOf(other, 'AWS::DynamoDB::GlobalTable');
    expect(id).toMatch(/^RecordsTable/);
    expect(resourcesOf(templates, 'AWS::DynamoDB::GlobalTable')).toEqual([]);
    expect(JSON.stringify(templatesIn(templates).map((each) => each.toJSON()))).not.toContain(id);
  });

  it('differs in nothing else: no resource is new, none is replaced', () => {
    // Those that are made anew whenever something changes, and the table itself.
    const changing = ['AWS::ApiGateway::Deployment', 'AWS::DynamoDB::GlobalTable', 'AWS::Lambda::Version'];
    const ids = (of: Templates) =>
      Object.entries(resourcesIn(of)).flatMap(([id, { Type }]) => (changing.includes(Type) ? [] : [id]));
    expect(ids(templates)).toEqual(ids(other));
    expect(ids(templates).length).toBeGreaterThan(100);
  });

  it('gives all functions its name', () => {
    const variables = having(templates.application.toJSON(), 'TABLE_NAME');
    expect(variables.length).toBe(resourcesOf(templates.application, 'AWS::Lambda::Function').length);
    for (const { TABLE_NAME } of variables) expect(TABLE_NAME).toBe(NAME);
  });

  it('gives rights on it, and on no other but copies to restore from, to as many as before', () => {
    const isOfCopies = (resource: unknown) => JSON.stringify(resource).includes(':table/custodia-dev.*');
    const onTables = (of: Templates) =>
      statementsIn(of).filter(
        ({ Action, Resource }) => Action.some((action) => action.startsWith('dynamodb:')) && !isOfCopies(Resource),
      );
    expect(onTables(templates).length).toBe(onTables(other).length);
    expect(onTables(templates).length).toBeGreaterThan(10);
    for (const { Resource, of } of onTables(templates)) expect(Resource, of).toEqual(arn);
  });

  it('watches it, backs it up, and tells the operator of it', () => {
    const dimensions = having(templates.operations.toJSON(), 'Namespace').filter(
      ({ Namespace }) => Namespace === 'AWS/DynamoDB',
    );
    const tables = dimensions.flatMap(({ Dimensions }) => Dimensions as { Name: string; Value: unknown }[]);
    const named = tables.filter(({ Name }) => Name === 'TableName').map(({ Value }) => Value);
    expect(named.length).toBeGreaterThan(10);
    expect(new Set(named)).toEqual(new Set([NAME]));
    const [[, selection] = []] = resourcesOf(templates, 'AWS::Backup::BackupSelection');
    expect(selection?.Properties.BackupSelection).toMatchObject({ Resources: [arn] });
    expect(templates.data.toJSON().Outputs.TableName.Value).toBe(NAME);
    const { tableArn } = assemble({ context }, (_, directory) => deployedFrom(directory, STACKS));
    expect(tableArn).toMatch(new RegExp(`:table/${NAME}$`));
  });

  it.each([
    ['a', /restoredTable: the name of a DynamoDB table/],
    ['arn:aws:dynamodb:eu-west-1:111122223333:table/x', /restoredTable: the name of a DynamoDB table/],
  ])('is told when that is no name: %s', (restoredTable, message) => {
    expect(() => synthesize({ context: { restoredTable } })).toThrow(message);
  });

  it('must be protected, or the table of before would go', () => {
    const settings = { restoredTable: NAME, deletionProtection: 'false' };
    expect(() => synthesize({ context: settings })).toThrow(/restoredTable: needs deletionProtection/);
  });
});

describe('deployments before and after a restore', () => {
  const stackWith = (restoredTable?: string): StackToDeploy =>
    assemble({ context: restoredTable === undefined ? {} : { restoredTable } }, (_, directory) =>
      stackIn(directory, DATA),
    );
  const tables = ({ orphans }: CloudFormation) =>
    orphans.filter(({ declared }) => declared.Type === 'AWS::DynamoDB::GlobalTable');

  it('keep the table of before, also when one goes back to it by its name', () => {
    const account = new CloudFormation();
    account.deploy(stackWith());
    account.deploy(stackWith(NAME));
    const [before] = tables(account);
    account.deploy(stackWith(before?.physicalId));
    account.deploy(stackWith(NAME));
    expect(tables(account)).toEqual([before]);
    account.destroy(DATA);
    expect(tables(account)).toEqual([before]);
  });

  it('that forget the setting make an empty table and delete none', () => {
    const account = new CloudFormation();
    for (const each of [stackWith(), stackWith(NAME), stackWith()]) account.deploy(each);
    expect(tables(account)).toHaveLength(1);
    account.destroy(DATA);
    expect(tables(account)).toHaveLength(2);
  });
});
