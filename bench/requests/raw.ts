import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environmentTable } from '../../shared/table/index.ts';
import type { Handle, Setting } from './contender.ts';
import type { RawName } from './names.ts';

/**
 * The commands sent to the table, by round trip: the commands of a round trip were sent before the first of them got
 * its response.
 */
type RoundTrips = readonly (readonly Command[])[];

type Command = Parameters<DynamoDBDocumentClient['send']>[0];

/** Does something with the functions that a raw contender stands for, and returns the commands that they sent. */
export async function commandsSentBy(name: RawName, work: () => Promise<unknown>): Promise<RoundTrips> {
  // Our client has a `send` of its own, a peer's is the SDK's.
  const client = name === 'raw' ? environmentTable().client : DynamoDBDocumentClient.prototype;
  const { send } = client;
  const sent: { readonly roundTrip: number; readonly command: Command }[] = [];
  let endedRoundTrip = 0;
  async function noted(this: unknown, command: Command): Promise<unknown> {
    const roundTrip = endedRoundTrip + 1;
    sent.push({ roundTrip, command });
    const response: unknown = await (send as (sent: Command) => Promise<unknown>).call(this, command);
    endedRoundTrip = Math.max(endedRoundTrip, roundTrip);
    return response;
  }
  client.send = noted as typeof send;
  await work();
  client.send = send;
  return [...Map.groupBy(sent, ({ roundTrip }) => roundTrip).values()].map((of) => of.map(({ command }) => command));
}

/**
 * Sends the same commands by a document client with default settings, without reading, checking or returning anything.
 */
export function raw(
  name: RawName,
  { requestHandler }: Pick<Setting, 'requestHandler'>,
): (roundTrips: RoundTrips) => Handle {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler }));
  const added = name === 'raw' ? ADDED : {};
  return (roundTrips) => async () => {
    for (const commands of roundTrips) await Promise.all(commands.map((command) => client.send(again(command, added))));
    return { statusCode: 200, body: '' };
  };
}

/** What our client adds to every input. */
const ADDED = { ReturnConsumedCapacity: 'TOTAL' } as const;

/** A new command of the same kind with the same input. */
function again(command: Command, added: Partial<typeof ADDED>): Command {
  const Kind = command.constructor as new (input: Command['input']) => Command;
  return new Kind({ ...command.input, ...added } as Command['input']);
}
