import { clients } from '../../functions/clients/contract.ts';
import { clientOperations } from '../../functions/clients/operations.ts';
import { logs } from '../../functions/logs/contract.ts';
import { logOperations } from '../../functions/logs/operations.ts';
import { pipeline } from '../../shared/http/index.ts';
import { configureTable } from '../../shared/table/index.ts';
import { clock, type HandlerOf, passTime, type Setting } from './contenders.ts';

/** The functions of this repository, as `handler.ts` makes them, on a clock that advances with each request. */
export function ours({ requestHandler, tableName }: Setting): HandlerOf {
  // As in a stage, where every request leaves a line with its metrics.
  Object.assign(process.env, { TABLE_NAME: tableName, METRICS_NAMESPACE: 'Custodia/bench' });
  configureTable({ requestHandler });
  const pipelines = [
    [clients, pipeline(clients, clientOperations, clock)],
    [logs, pipeline(logs, logOperations, clock)],
  ] as const;
  return (route) => {
    const [, handler] = pipelines.find(([{ routes }]) => Object.values(routes).some((own) => own === route)) ?? [];
    if (handler === undefined) throw new Error(`no function serves ${route.method} ${route.path}`);
    return (event, context) => {
      passTime();
      return handler(event, context);
    };
  };
}
