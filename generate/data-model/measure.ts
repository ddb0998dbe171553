import type { Route } from '#contract';
import { startDynamoDb } from '#local-dynamodb';
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
  /** What requests of one tenant share. */
  readonly loads: readonly SharedLoad[];
}

/** Plays every operation against a local API of its own, and tells which. */
export const measureOperations = (onPlay: (text: string) => void = () => undefined): Promise<MeasuredOperations> =>
  onLocalApi(async (api, recorder) => {
    const operations = await playAll(api, await api.orgToken(), recorder, onPlay);
    const variants = await playVariants(api, await api.orgToken(), recorder);
    const loads = await measureSharedLoads(api, await api.orgToken(), recorder);
    return { operations, variants, loads };
  });

/** Plays only the operations of these routes, and the variants. */
export const measureChosen = (
  isChosen: (route: Route) => boolean,
  onPlay: (text: string) => void,
): Promise<readonly Played[]> =>
  onLocalApi(async (api, recorder) => [
    ...(await playAll(api, await api.orgToken(), recorder, onPlay, isChosen)),
    ...(await playVariants(api, await api.orgToken(), recorder)),
  ]);

/** On the engine that counts units as AWS does. */
async function onLocalApi<Value>(play: (api: Callers, recorder: Recorder) => Promise<Value>): Promise<Value> {
  const dynamoDb = await startDynamoDb({ dataDir: IN_MEMORY, engine: 'dynoxide' });
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

  return await play(callersAt(local.url, local.platform), new Recorder(environmentTable()));
}

type Callers = ReturnType<typeof callersAt>;
