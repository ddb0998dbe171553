import type { Template } from 'aws-cdk-lib/assertions';
import { ASSUMED } from './assumptions.ts';
import type { Way } from './lines.ts';
import { logLines } from './log-lines.ts';
import { decisionLine, requestLine } from './own-lines.ts';

interface Stage {
  readonly AccessLogSetting: { readonly Format: string };
  readonly TracingEnabled?: boolean;
}

/** How a stage is set, as its template says. */
export function wayOf(template: Template): Way {
  const stage = firstOf<Stage>(template, 'AWS::ApiGateway::Stage');
  const { MemorySize } = firstOf<{ readonly MemorySize: number }>(template, 'AWS::Lambda::Function');
  const { MinimumCompressionSize } = firstOf<{ readonly MinimumCompressionSize?: number }>(
    template,
    'AWS::ApiGateway::RestApi',
  );
  return {
    memory: MemorySize,
    logs: logLines([requestLine()], [decisionLine()], stage.AccessLogSetting.Format),
    isCompressed: MinimumCompressionSize !== undefined,
    isTraced: stage.TracingEnabled === true,
    unchanged: 0,
    requestsPerAuthorizer: ASSUMED.requestsPerAuthorizer,
  };
}

function firstOf<T>(template: Template, type: string): T {
  const [resource] = Object.values(template.findResources(type));
  if (resource === undefined) throw new Error(`the template has no ${type}`);
  return resource.Properties as T;
}
