import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { resourcesOf, statementsIn, synthesize } from './synthesize.ts';

describe('tracing', () => {
  it('is off by default, and no function may send traces', () => {
    const template = synthesize().application;
    expect(JSON.stringify(template.toJSON())).not.toMatch(/xray|"TracingConfig"|"TracingEnabled":true/);
  });

  it('is done by the stage and by every function, which may do that and no more of X-Ray', () => {
    const template = synthesize({ context: { tracing: 'true' } }).application;
    template.hasResourceProperties('AWS::ApiGateway::Stage', { TracingEnabled: true });
    const functions = resourcesOf(template, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(contracts.length + 1);
    for (const [, { Properties }] of functions) expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
    const statements = statementsIn(template).filter(({ Action }) => Action.some((each) => each.startsWith('xray:')));
    expect(statements).toHaveLength(functions.length);
    for (const { Action, Effect } of statements)
      expect([Effect, Action.toSorted()]).toEqual(['Allow', ['xray:PutTelemetryRecords', 'xray:PutTraceSegments']]);
  });
});
