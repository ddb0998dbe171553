import { noStage } from './failure.ts';
import { type Incoming, placeOf } from './incoming.ts';

/**
 * At API Gateway's own address the first segment of a path is the stage, and the rest is the resource's path. At a
 * custom domain there is no such segment.
 * @param stage undefined: as at a custom domain
 * @throws GatewayFailure 403 for a path of any other stage, as AWS does
 */
export function withinStage(called: Incoming, stage: string | undefined): Incoming {
  if (stage === undefined) return called;
  if (called.segments[0]?.raw !== stage) throw noStage();
  return { ...called, ...placeOf(called.path.slice(`/${stage}`.length)) };
}
