import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Functions } from './functions.ts';
import type { Api } from './rest-api.ts';
import type { Rights } from './rights.ts';
import { functionNameOf } from './service-function.ts';

/** Lambda's metrics of a function. */
export type FunctionMetrics = Pick<IFunction, 'metric'>;

interface ObservedFunction {
  readonly lambda: FunctionMetrics;
  readonly logs: ILogGroup;
  readonly rights: Rights;
}

/**
 * What the operations stack knows of the functions and the API. All stacks derive these names from the stage.
 * CloudFormation names log groups, and API Gateway its address: they come from outputs as weak references, which do not
 * block changes of the stacks that have them (`docs/decisions/0162-stacks.md`).
 */
export class Observed extends Construct {
  readonly functions: ReadonlyMap<string, ObservedFunction>;
  readonly accessLogs: ILogGroup;
  /** Where callers find the paths of the contracts. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, { api, functions }: { readonly api: Api; readonly functions: Functions }) {
    super(scope, id);
    this.accessLogs = api.accessLogs;
    this.baseUrl = api.baseUrl;
    this.functions = new Map(
      Array.from(functions.byName, ([name, { logs, rights }]) => [
        name,
        { lambda: this.#metricsOf(name), logs, rights },
      ]),
    );
  }

  /** @throws TypeError where the application has no such function */
  lambda(name: string): FunctionMetrics {
    const found = this.functions.get(name);
    if (found === undefined) throw new TypeError(`there is no function ${name}`);
    return found.lambda;
  }

  #metricsOf(name: string): FunctionMetrics {
    const dimensionsMap = { FunctionName: functionNameOf(this, name) };
    return {
      metric: (metricName, options) => new Metric({ namespace: 'AWS/Lambda', metricName, dimensionsMap, ...options }),
    };
  }
}
