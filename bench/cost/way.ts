import type { Template } from 'aws-cdk-lib/assertions';
import type { ColdStart } from '../cpu-share.ts';
import { ASSUMED } from './assumptions.ts';
import type { StageSetup } from './lines.ts';
import { logLines } from './log-lines.ts';
import { decisionLine, requestLine } from './own-lines.ts';
import { resourcesOf } from './resources.ts';

interface Stage {
  readonly AccessLogSetting: { readonly Format: string };
  readonly TracingEnabled?: boolean;
}

/** In the OpenAPI document that the API is imported from: the size from which responses are compressed. */
const COMPRESSION = 'x-amazon-apigateway-minimum-compression-size';

interface RestApi {
  readonly Body: Readonly<Record<string, unknown>>;
}

/** The settings of a stage, read from its templates. */
export function wayOf(templates: readonly Template[], coldStart: ColdStart): StageSetup {
  const stage = firstOf<Stage>(templates, 'AWS::ApiGateway::Stage');
  const { MemorySize } = firstOf<{ readonly MemorySize: number }>(templates, 'AWS::Lambda::Function');
  const { Body } = firstOf<RestApi>(templates, 'AWS::ApiGateway::RestApi');
  return {
    memory: MemorySize,
    logs: logLines([requestLine()], [decisionLine()], stage.AccessLogSetting.Format),
    hasFirewall: resourcesOf(templates, 'AWS::WAFv2::WebACL').length > 0,
    isCompressed: COMPRESSION in Body,
    coldStart,
    unchanged: 0,
    requestsPerAuthorizer: ASSUMED.requestsPerAuthorizer,
  };
}

function firstOf<T>(templates: readonly Template[], type: string): T {
  const [resource] = resourcesOf<T>(templates, type);
  if (resource === undefined) throw new Error(`the template has no ${type}`);
  return resource;
}
