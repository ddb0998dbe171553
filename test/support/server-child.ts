import { contracts } from '../../functions/all-contracts.ts';
import { loadFromSource } from '../../local/functions.ts';
import { startGateway } from '../../local/gateway/gateway.ts';

/** The server of `server-process.ts`: the API on the table of the environment that it inherits, until its parent lets go. */
const { url, close } = await startGateway({ contracts, loadFunction: loadFromSource, firstKey: true });
process.on('disconnect', () => void close());
process.send?.(url);
