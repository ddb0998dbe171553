import { newAccessKeyId } from './client.ts';
import { type EmbeddedDynamoDb, type EmbeddedDynamoDbOptions, startDynamoDb } from './embedded.ts';
import { EmbeddedDynamoDbError } from './engine.ts';

/** Called when the state of a supervised DynamoDB changes. */
interface Supervisor {
  /** Its process ended by itself for this reason, and is being restarted. */
  onDeath(how: string): void;
  /** It was restarted and responds at this address. */
  onRestart(endpoint: string): Promise<void>;
  /** It cannot be restarted, for this reason. */
  onGivenUp(error: unknown): void;
}

/** An engine that ends this often within a minute is not restarted. */
const DEATHS = 4;
const MINUTE_MS = 60_000;

/**
 * Starts an embedded DynamoDB and, whenever its process ends by itself, starts it again over the same data.
 * @returns the one that was started first
 * @throws EmbeddedDynamoDbError as {@link startDynamoDb}
 */
export async function superviseDynamoDb(
  options: EmbeddedDynamoDbOptions,
  supervisor: Supervisor,
): Promise<Omit<EmbeddedDynamoDb, 'died'>> {
  const accessKeyId = newAccessKeyId();
  const first = await startDynamoDb({ ...options, accessKeyId });
  const { endpoint, engine } = first;
  let current = first;
  let restarting = Promise.resolve();
  let isStopping = false;
  const deaths: number[] = [];

  const restart = async (how: string): Promise<void> => {
    deaths.push(performance.now());
    const [earliest = 0, latest = 0] = [deaths.at(-DEATHS), deaths.at(-1)];
    if (deaths.length >= DEATHS && latest - earliest < MINUTE_MS) {
      throw new EmbeddedDynamoDbError(`The embedded DynamoDB has died ${DEATHS} times within a minute (${how}).`);
    }
    supervisor.onDeath(how);
    await current.stop();
    current = await startDynamoDb({ ...options, accessKeyId, engine });
    if (!isStopping) await supervisor.onRestart(current.endpoint);
  };
  const watch = async (): Promise<void> => {
    while (!isStopping) {
      const how = await current.died;
      if (isStopping) return;
      restarting = restart(how);
      await restarting;
    }
  };
  watch().catch((error: unknown) => supervisor.onGivenUp(error));

  const stop = async (): Promise<void> => {
    isStopping = true;
    await restarting.catch(() => undefined);
    await current.stop();
  };
  return { endpoint, engine, stop };
}
