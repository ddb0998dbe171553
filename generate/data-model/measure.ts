import type { Route } from '#contract';
import { type EngineName, startDynamoDb } from '#local-dynamodb';
import { environmentTable } from '#table';
import { IN_MEMORY } from '../../local/settings.ts';
import { startLocalApi } from '../../local/start.ts';
import { callersAt } from '../../test/support/api.ts';
import { measureSharedLoads, type SharedLoad } from '../ceilings/measure.ts';
import { type Played, playAll } from './play.ts';
import { Recorder } from './recorder.ts';
import { playVariants } from './variants.ts';

/** Operations as they were played against the local API. */
export interface MeasuredOperations {
  /** Each with the example of its contract. */
  readonly operations: readonly Played[];
  /** Further requests that the bounds speak of. */
  readonly variants: readonly Played[];
  /** What requests of one tenant share; none where the engine does not count units as AWS does. */
  readonly loads: readonly SharedLoad[];
}

/** Plays every operation against a local API of its own, and tells which. */
export const measureOperations = (
  engine: EngineName,
  onPlay: (text: string) => void = () => undefined,
): Promise<MeasuredOperations> =>
  onLocalApi(engine, async (api, recorder) => {
    const operations = await playAll(api, await api.orgToken(), recorder, onPlay);
    const variants = await playVariants(api, await api.orgToken(), recorder);
    const loads = recorder.isExact ? await measureSharedLoads(api, await api.orgToken(), recorder) : [];
    return { operations, variants, loads };
  });

/** Plays only the operations of these routes, and the variants. */
export const measureChosen = (
  engine: EngineName,
  isChosen: (route: Route) => boolean,
  onPlay: (text: string) => void,
): Promise<readonly Played[]> =>
  onLocalApi(engine, async (api, recorder) => [
    ...(await playAll(api, await api.orgToken(), recorder, onPlay, isChosen)),
    ...(await playVariants(api, await api.orgToken(), recorder)),
  ]);

async function onLocalApi<Value>(
  engine: EngineName,
  play: (api: Callers, recorder: Recorder) => Promise<Value>,
): Promise<Value> {
  const dynamoDb = await startDynamoDb({ dataDir: IN_MEMORY, engine });
  await using started = new AsyncDisposableStack();
  started.defer(dynamoDb.stop);
  const settings = { port: 0, host: '127.0.0.1', dataDir: IN_MEMORY, platformSecret: undefined };
  // The authorizer asks once, however slow the machine is.
  const options = { authorizerTtlSeconds: 3_600, deliveries: false };
  const local = await startLocalApi({ ...settings, dynamoDbEndpoint: dynamoDb.endpoint }, options);
  started.defer(local.close);
  // A full page of a list has more endpoints than an organization may have.
  process.env.MAX_WEBHOOK_ENDPOINTS = '1000';
  process.env.MAX_WEBHOOK_PINGS = '1000';

  return await play(callersAt(local.url, local.platform), new Recorder(environmentTable(), engine === 'dynoxide'));
}

type Callers = ReturnType<typeof callersAt>;
