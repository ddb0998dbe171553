import { accessLine, Invocation } from '../../shared/telemetry/index.ts';
import type { Outcome } from '../../shared/telemetry/metrics.ts';
import { SAMPLE_ID, SAMPLE_TIME } from './log-lines.ts';

/**
 * The log lines of our functions about a request and about a decision of the authorizer (`shared/telemetry/`), with
 * values of typical length.
 */

const TRACE = '5759e988bd862e3fe1be46a994272793';
const NAMESPACE = 'Custodia/custodia-prod';

const lineOf = (invocation: Invocation, domain: string, outcome: Outcome, status?: number): string => {
  const ended = { invocation, domain, outcome, status, at: Date.parse(SAMPLE_TIME), duration: 17.912 };
  return JSON.stringify(accessLine(ended, NAMESPACE));
};

export function requestLine(): string {
  const invocation = new Invocation({
    request_id: SAMPLE_ID,
    trace_id: TRACE,
    operation: 'listResourceHistory',
    method: 'GET',
    route: '/api/v1/resources/{id}/history',
    tenant: SAMPLE_ID,
    integration_id: SAMPLE_ID,
  });
  invocation.count('TableCalls', 2);
  invocation.units = 4;
  return lineOf(invocation, 'resources', '2xx', 200);
}

export function decisionLine(): string {
  const invocation = new Invocation({
    request_id: SAMPLE_ID,
    trace_id: TRACE,
    tenant: SAMPLE_ID,
    integration_id: SAMPLE_ID,
  });
  invocation.count('TableCalls');
  invocation.units = 1;
  return lineOf(invocation, 'authorizer', 'allowed');
}
