import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent } from 'node:http';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/dynamodb/client.ts';
import { configureTable } from '../../shared/table/connection/client.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';

/** A network between the functions and DynamoDB that fails for each request in its own way, though they share one client. */

const agent = new Agent({ keepAlive: true, maxSockets: 50 });
const requestsOwn = new AsyncLocalStorage<FaultyHandler>();

class OwnNetwork extends NodeHttpHandler {
  override handle(...call: Parameters<NodeHttpHandler['handle']>): ReturnType<NodeHttpHandler['handle']> {
    return requestsOwn.getStore()?.handle(...call) ?? super.handle(...call);
  }
}

const SDK_ATTEMPTS = 4;

/** Has the functions use this network from now on, with all of the SDK's retries. */
export const useNetwork = (): void =>
  configureTable({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    requestHandler: new OwnNetwork({ httpAgent: agent }),
    retryStrategy: new ConfiguredRetryStrategy(SDK_ATTEMPTS, 1),
  });

/** Runs a request whose DynamoDB calls meet these faults. Answers whether the process died under it, too. */
export async function over<T>(
  faults: readonly (Fault | undefined)[],
  request: () => Promise<T>,
): Promise<{ readonly result: T; readonly crashed: boolean }> {
  const network = new FaultyHandler({ httpAgent: agent });
  let crashed = false;
  network.follow(({ index }) => {
    const fault = faults[index];
    crashed ||= fault?.startsWith('crash') ?? false;
    return fault;
  });
  return { result: await requestsOwn.run(network, request), crashed };
}
