import { noStage } from './failure.ts';
import { type Incoming, placeOf } from './incoming.ts';

/**
 * At the address that API Gateway gives by itself the first segment of a path is the stage; resources are found by what follows. Under a domain
 * of one's own there is no such segment.
 * @param stage undefined: as under a domain of one's own
 * @throws GatewayFailure 403 for a path of any other stage, as AWS does
 */
export function withinStage(called: Incoming, stage: string | undefined): Incoming {
  if (stage === undefined) return called;
  if (called.segments[0]?.raw !== stage) throw noStage();
  return { ...called, ...placeOf(called.path.slice(`/${stage}`.length)) };
}
