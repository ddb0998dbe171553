import { RequestSession } from '#table';
import { openHeld } from '../alerts/open-held.ts';

/** For all that it does, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** Opens the tickets of alerts whose maintenance is over, every five minutes. @throws what was not done */
export const handler = (): Promise<void> => openHeld(RequestSession.ofEnvironment(TIMEOUT_MS));
