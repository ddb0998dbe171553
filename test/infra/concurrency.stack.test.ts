import { describe, expect, it } from 'vitest';
import { resourcesOf, synthesize } from './synthesize.ts';

/** Executions at once: what is kept for a function, and what stands by. */

const NAME = /^custodia-dev-(.*)$/;

function concurrencyWith(context: Readonly<Record<string, string>>) {
  const template = synthesize({ context }).application;
  const functions = new Map(resourcesOf(template, 'AWS::Lambda::Function'));
  const nameOf = (id: string): string => NAME.exec(String(functions.get(id)?.Properties.FunctionName))?.[1] ?? '';
  const reserved = Array.from(functions, ([id, { Properties }]) => [
    nameOf(id),
    Properties.ReservedConcurrentExecutions,
  ]);
  const provisioned = resourcesOf(template, 'AWS::Lambda::Alias').map(([, { Properties }]) => {
    const { Ref } = Properties.FunctionName as { readonly Ref: string };
    const config = Properties.ProvisionedConcurrencyConfig as { ProvisionedConcurrentExecutions: number } | undefined;
    return [nameOf(Ref), config?.ProvisionedConcurrentExecutions];
  });
  const set = (pairs: readonly (readonly unknown[])[]) =>
    Object.fromEntries(pairs.filter(([, count]) => count !== undefined));
  return { reserved: set(reserved), provisioned: set(provisioned) };
}

describe('concurrency', () => {
  it('is the account’s by default: a new account may have ten executions, of which none can be reserved', () => {
    expect(concurrencyWith({})).toEqual({ reserved: {}, provisioned: {} });
    expect(concurrencyWith({ stage: 'prod' })).toEqual({ reserved: {}, provisioned: {} });
  });

  it('is reserved for the functions that a stage names, and provisioned on their aliases', () => {
    const context = {
      reservedConcurrency: 'authorizer:100,well-known:3',
      provisionedConcurrency: 'authorizer:100,clients:5',
    };
    expect(concurrencyWith(context)).toEqual({
      reserved: { authorizer: 100, 'well-known': 3 },
      provisioned: { authorizer: 100, clients: 5 },
    });
  });

  it.each([
    [{ reservedConcurrency: 'authorizer' }, /reservedConcurrency: numbers by functions/],
    [{ reservedConcurrency: 'authorizer:0' }, /reservedConcurrency: /],
    [{ reservedConcurrency: 'authorizer:1,authorizer:2' }, /reservedConcurrency: the same function twice/],
    [{ reservedConcurrency: 'authoriser:1' }, /reservedConcurrency: there is no function authoriser/],
    [{ provisionedConcurrency: 'clients:1,client:2' }, /provisionedConcurrency: there is no function client$/],
    [
      { reservedConcurrency: 'clients:4', provisionedConcurrency: 'clients:5' },
      /provisionedConcurrency: more than reservedConcurrency leaves/,
    ],
    [{ provisionedConcurrency: 'clients:5', deployment: 'canary' }, /provisionedConcurrency: needs deployment=all-at/],
    [{ provisionedConcurrency: 'clients:5', stage: 'prod' }, /provisionedConcurrency: needs deployment=all-at-once/],
  ])('settings %o are refused', (context, finding) => {
    expect(() => synthesize({ context }).application).toThrow(finding);
  });
});
